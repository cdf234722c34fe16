package pgread

import (
	"strings"

	sq "github.com/Masterminds/squirrel"
)

// runs says how the rows of a condition are runs, each of which has one value in a column, and an
// index has it in the order of the list.
type runs struct {
	column string // of r
	values values // of the runs, in the column
	// parts is set if a run is a part of those rows: the ones with one value of a column
	// that the index has behind the other.
	parts *parts
}

// values says which values the arguments of a condition mean.
type values uint8

const (
	listed          values = iota // a list of them
	inRange                       // from one to another
	monthOfEachYear               // the months of all years, as runs of a month of one year
)

type parts struct {
	column string
	values []string // all that there are
	// unless names the columns of conditions by which the rows of one value are one run.
	unless []string
}

// mergedRuns merges the runs in the order of the list: the beginning of each is selected.
func (l *list) mergedRuns(columns, order string, s span, from end) func(predicates []sq.Sqlizer) sq.Sqlizer {
	c := l.find(func(c condition) bool { return c.runs != nil })
	direction := string(from.direction(l.orders[0]))
	part := ""
	run := []sq.Sqlizer{sq.Expr("r." + c.runs.column + " = run.value")}
	if p := c.runs.parts; p != nil && !l.have(p.unless...) {
		part = " cross join (values (" + strings.Join(p.values, "), (") + ")) part (value)"
		run = append(run, sq.Expr("r."+p.column+" = part.value"))
	}
	return func(predicates []sq.Sqlizer) sq.Sqlizer {
		return sq.Expr("select r.id, r.key from (?) run"+part+" cross join lateral (select "+columns+" from "+l.table+" r?"+order+" limit ?) r"+
			" order by r.key"+direction+", r.id"+direction+"?", l.runValues(*c), where(append(run, predicates...)), s.length, s.limit)
	}
}

// runValues selects the values that the condition is for. Months of every year are found
// from one row to the next in the index: a year without rows costs nothing, however far
// in the future the last one is.
func (l *list) runValues(c condition) sq.Sqlizer {
	switch c.runs.values {
	case listed:
		return sq.Expr("select unnest(?::bigint[]) as value", c.args...)
	case inRange:
		return sq.Expr("select generate_series(?::integer, ?::integer) as value", c.args...)
	}
	column := "x." + c.runs.column
	// The first such month that is not before the next row's.
	next := "select " + column + " + mod(?::integer - mod(" + column + ", 12) + 12, 12) from "
	row := func(after string) string {
		return "(select " + column + " from " + l.table + " x where " + column + " > " + after + " order by " + column + " limit 1) x"
	}
	all := next + row("0") + " union all " + next + "y cross join lateral " + row("y.value")
	return sq.Expr("with recursive y (value) as ("+all+") select y.value from y", c.args[0], c.args[0])
}
