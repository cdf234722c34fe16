package pgsummary

import (
	"strings"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// A source is a select of rows with delta, which is how often a row counts, and
// the columns or measures of a list.
type source func(l *listdef.List, columns ...string) string

// records selects the records, each once.
func records(l *listdef.List, columns ...string) string {
	from := l.Table + " r"
	if l.Join != "" {
		from += "\n" + l.Join
	}
	return selecting("1 as delta", l.RecordValue, columns) + "\nfrom " + from
}

func oneBatch(l *listdef.List, columns ...string) string {
	return changes(l, "t.delta", "t.batch_id = $1", columns)
}

// batchesUpTo selects the changes in the batch $1 and later ones, up to the batch $2, which
// is not included.
func batchesUpTo(l *listdef.List, columns ...string) string {
	return changes(l, "t.delta", "t.batch_id >= $1 and t.batch_id < $2", columns)
}

func openBatches(l *listdef.List, columns ...string) string {
	return changes(l, "t.delta", "t.batch_id >= $1", columns)
}

// openReverted selects the same changes with the opposite delta.
func openReverted(l *listdef.List, columns ...string) string {
	return changes(l, "-t.delta as delta", "t.batch_id >= $1", columns)
}

// recordsBefore selects the records as they were before the batch $1.
func recordsBefore(l *listdef.List, columns ...string) string {
	return records(l, columns...) + "\nunion all\n" + openReverted(l, columns...)
}

func changes(l *listdef.List, delta, where string, columns []string) string {
	return selecting(delta, l.ChangeValue, columns) + "\nfrom " + l.Places() + " t\nwhere " + where
}

func selecting(delta string, value func(column string) string, columns []string) string {
	parts := []string{delta}
	for _, column := range columns {
		expr := value(column)
		if !strings.HasSuffix(expr, "."+column) {
			expr += " as " + column
		}
		parts = append(parts, expr)
	}
	return clause("select", parts)
}
