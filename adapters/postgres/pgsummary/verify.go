package pgsummary

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// Difference is a row of a read model that differs from the records.
type Difference struct {
	Model    string // its table
	Key      string // of the row
	Stored   string
	Expected string // according to the records
}

// maxListed is how many differences of a read model are listed at most.
const maxListed = 100

// Verify compares every read model with the records in one snapshot, and returns the
// differences: the first hundred of each read model, and the number of others. It
// includes read models that are not ready. Writes continue meanwhile.
func Verify(ctx context.Context, db *postgres.DB) ([]Difference, error) {
	var all []Difference
	err := inSnapshot(ctx, db, func(tx pgx.Tx) error {
		zone, err := prepareBulk(ctx, tx)
		if err != nil {
			return err
		}
		var open int64
		if err := tx.QueryRow(ctx, "select oldest_open_batch from read_model_state").Scan(&open); err != nil {
			return err
		}
		for _, c := range checks {
			found, err := c.run(ctx, tx, open, zone)
			if err != nil {
				return fmt.Errorf("%s: %w", c.model, err)
			}
			all = append(all, found...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("verify the read models: %w", err)
	}
	return all, nil
}

// inSnapshot runs read in a transaction whose statements all see the same records.
func inSnapshot(ctx context.Context, db *postgres.DB, read func(pgx.Tx) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	tx, err := postgres.Repeat(ctx, db, func() (pgx.Tx, error) { return db.BeginTx(ctx, options) })
	if err == nil {
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // if it fails, the pool closes the connection
		err = read(tx)
	}
	return postgres.Fault(err, postgres.Storing)
}

type check struct {
	model     string
	sql       string // for key, stored and expected
	fromBatch bool   // $1 is the oldest open batch
	inZone    bool   // $1 is the time zone: a worker of Citus has a zone of its own
}

var checks = func() (all []check) {
	for _, r := range rollups {
		all = append(all, check{model: r.table, sql: r.verify(), fromBatch: true})
	}
	for _, l := range listdef.All {
		all = append(all, check{model: l.Search, sql: verifySearch(l)})
	}
	return append(all, check{model: listdef.Invoices.Table, sql: verifyPaidMonths, inZone: true})
}()

func verifySearch(l *listdef.List) string {
	return fmt.Sprintf(`select
    'id ' || id as key, coalesce(s.text_key || ' of ' || s.created_at, 'nothing') as stored,
    coalesce(%[4]s || ' of ' || r.%[3]s, 'nothing') as expected
from %[2]s r
full join %[1]s s using (id)
where s.text_key is distinct from %[4]s or s.created_at is distinct from r.%[3]s`,
		l.Search, l.Table, l.CreatedAt, listdef.SearchKey("r."+l.TextKey))
}

var verifyPaidMonths = `select
    'paid_month of id ' || id as key, coalesce(paid_month::text, 'nothing') as stored,
    coalesce(` + listdef.MonthIn("paid_on", "$1") + `::text, 'nothing') as expected
from invoices
where paid_month is distinct from ` + listdef.MonthIn("paid_on", "$1")

// statement returns the whole query: its last parameter is the limit.
func (c check) statement() string {
	limit := "$1"
	if c.fromBatch || c.inZone {
		limit = "$2"
	}
	return `select key, stored, expected, count(*) over () as found
from ` + nested(c.sql) + ` d
order by key
limit ` + limit
}

func (c check) run(ctx context.Context, tx pgx.Tx, open int64, zone string) ([]Difference, error) {
	var args []any
	if c.fromBatch {
		args = append(args, open)
	}
	if c.inZone {
		args = append(args, zone)
	}
	args = append(args, maxListed)
	rows, err := tx.Query(ctx, c.statement(), args...)
	if err != nil {
		return nil, err
	}
	var list []Difference
	var found int64
	d := Difference{Model: c.model}
	_, err = pgx.ForEachRow(rows, []any{&d.Key, &d.Stored, &d.Expected, &found}, func() error {
		list = append(list, d)
		return nil
	})
	if rest := found - int64(len(list)); rest > 0 {
		list = append(list, Difference{Model: c.model, Key: fmt.Sprintf("and %d more", rest)})
	}
	return list, err
}
