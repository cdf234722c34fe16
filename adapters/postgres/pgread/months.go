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

// monthNumbers selects the months that the filter is for. Those of every year are found
// from one row to the next in the index: a year without rows costs nothing, however far
// in the future the last one is.
func (b *builder[F]) monthNumbers(f *filter[F]) sq.SelectBuilder {
	if !f.months.yearly {
		return sq.Select("generate_series(:" + f.params[0] + "::integer, :" + f.params[1] + "::integer) as number")
	}
	// The first such month that is not before the next row's.
	next := func(rows string) string {
		column := "x." + f.months.column
		return "select " + column + " + mod(:" + f.params[0] + "::integer - mod(" + column + ", 12) + 12, 12) from " + rows
	}
	row := func(after string) string {
		column := "x." + f.months.column
		return "(select " + column + " from " + b.table + " x where " + column + " > " + after + " order by " + column + " limit 1) x"
	}
	return sq.Select("y.number").From("y").Prefix("with recursive y (number) as (" +
		next(row("0")) + " union all " + next("y cross join lateral "+row("y.number")) + ")")
}
