package pgread

import (
	"strings"

	sq "github.com/Masterminds/squirrel"
)

// months says how the rows of a condition on months are runs, each of which an index
// has in the order of the list.
type months struct {
	column string // of r, the number of the month
	yearly bool   // the condition is for a month of every year
	// parts is set if a run is a part of a month: the rows with one value of a column
	// that the index has behind the month.
	parts *parts
}

type parts struct {
	column string
	values []string // all that there are
	// unless names the columns of conditions by which the rows of a month are one run.
	unless []string
}

// mergedRuns merges the runs in the order of the list: the beginning of each is selected.
func (l *list) mergedRuns(columns, order string, s span, from end) func(predicates []sq.Sqlizer) sq.Sqlizer {
	c := l.find(func(c condition) bool { return c.months != nil })
	direction := string(from.direction(l.orders[0]))
	part := ""
	run := []sq.Sqlizer{sq.Expr("r." + c.months.column + " = month.number")}
	if p := c.months.parts; p != nil && !l.have(p.unless...) {
		part = " cross join (values (" + strings.Join(p.values, "), (") + ")) part (value)"
		run = append(run, sq.Expr("r."+p.column+" = part.value"))
	}
	return func(predicates []sq.Sqlizer) sq.Sqlizer {
		return sq.Expr("select r.id, r.key from (?) month"+part+" cross join lateral (select "+columns+" from "+l.table+" r?"+order+" limit ?) r"+
			" order by r.key"+direction+", r.id"+direction+"?", l.monthNumbers(*c), where(append(run, predicates...)), s.length, s.limit)
	}
}

// monthNumbers selects the months that the condition is for. Those of every year are found
// from one row to the next in the index: a year without rows costs nothing, however far
// in the future the last one is.
func (l *list) monthNumbers(c condition) sq.Sqlizer {
	if !c.months.yearly {
		return sq.Expr("select generate_series(?::integer, ?::integer) as number", c.args...)
	}
	column := "x." + c.months.column
	// The first such month that is not before the next row's.
	next := "select " + column + " + mod(?::integer - mod(" + column + ", 12) + 12, 12) from "
	row := func(after string) string {
		return "(select " + column + " from " + l.table + " x where " + column + " > " + after + " order by " + column + " limit 1) x"
	}
	all := next + row("0") + " union all " + next + "y cross join lateral " + row("y.number")
	return sq.Expr("with recursive y (number) as ("+all+") select y.number from y", c.args[0], c.args[0])
}
