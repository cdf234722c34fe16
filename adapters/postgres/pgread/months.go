package pgread

import (
	"strings"

	sq "github.com/Masterminds/squirrel"
)

// months says how the rows of a filter for months are runs, each of which an index
// has in the order of the list.
type months struct {
	column string // of r, the number of the month
	yearly bool   // the filter is for a month of every year
	// parts is set if a run is a part of a month: the rows with one value of a column
	// that the index has behind the month.
	parts *parts
}

// parts are the parts of a month.
type parts struct {
	column string
	values []string // all that there are
	// unless names the columns of filters by which the rows of a month are one run.
	unless []string
}

// mergedRuns merges the runs in the order of the list; run selects the beginning of
// each.
func (b *builder[F]) mergedRuns(run sq.SelectBuilder, from end) sq.SelectBuilder {
	f := b.find((*filter[F]).hasMonths)
	direction := string(from.of(b.orders[0]))
	run = run.Where("r." + f.months.column + " = month.number")
	merged := sq.Select("r.id", "r.key").FromSelect(b.monthNumbers(f), "month")
	other := b.find(func(o *filter[F]) bool { return o.hasMonths() && o != f })
	parts := f.months.parts
	switch {
	case other != nil:
		merged = merged.JoinClause(sq.Expr("cross join (?) other", b.monthNumbers(other)))
		run = run.Where("r." + other.months.column + " = other.number")
	case parts != nil && !b.filtersBy(parts.unless):
		merged = merged.JoinClause("cross join (values (" + strings.Join(parts.values, "), (") + ")) part (value)")
		run = run.Where("r." + parts.column + " = part.value")
	}
	return merged.JoinClause(sq.Expr("cross join lateral (?) r", run)).OrderBy("r.key"+direction, "r.id"+direction)
}

// monthNumbers selects the months that the filter is for. Those of every year are the
// ones between the first and the last month of any row.
func (b *builder[F]) monthNumbers(f *filter[F]) sq.SelectBuilder {
	if !f.months.yearly {
		return sq.Select("generate_series(:" + f.params[0] + "::integer, :" + f.params[1] + "::integer) as number")
	}
	column := f.months.column
	edge := func(direction string) string {
		return "(select x." + column + " from " + b.table + " x where x." + column + " is not null order by x." + column + direction + " limit 1)"
	}
	return sq.Select("generate_series(y.low + mod(:" + f.params[0] + "::integer - mod(y.low, 12) + 12, 12), y.high, 12) as number").
		From("(select " + edge("") + " as low, " + edge(" desc") + " as high) y")
}
