package pgstore

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
)

// referrer is a column with the ids of records that its rows refer to. It has an index.
type referrer struct{ table, column string }

// byHand leaves out automatic payments: it comes before a column.
const byHand = "automatic_of is null and "

// maxReferences is how many rows of each table are counted.
const maxReferences = 1000

// countReferences returns the SQL that counts the rows that refer to a record; "" without referrers.
func countReferences(referrers []referrer) string {
	counts := make([]string, len(referrers))
	for i, r := range referrers {
		counts[i] = fmt.Sprintf("select '%s', count(*) from (select from %[1]s where %s = $1 limit %d) r", r.table, r.column, maxReferences)
	}
	return strings.Join(counts, " union all ")
}

// removeUnused queues the deletion of a record. If rows refer to it, the error is a fault.InUse with their numbers by
// table, which the SQL counts, each at most to maxReferences.
func (u *unit) removeUnused(remove, count string, id int64) {
	references := map[string]int{}
	u.query(func(rows pgx.Rows) error {
		var table string
		var count int
		_, err := pgx.ForEachRow(rows, []any{&table, &count}, func() error {
			if count > 0 {
				references[table] = count
			}
			return nil
		})
		return err
	}, count, id)
	u.batch.Queue(remove, id).Fn = func(results pgx.BatchResults) error {
		_, err := results.Exec()
		err = postgres.Fault(err, postgres.Removing)
		if f := fault.As(err); f != nil && f.Code == fault.InUse {
			f.References = references
		}
		return err
	}
}
