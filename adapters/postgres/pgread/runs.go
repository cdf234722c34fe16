package pgread

import (
	"strings"

	sq "github.com/Masterminds/squirrel"
)

// runs are how the rows that a condition on months lets through fall into runs,
// each of which an index has in the order of the list: the rows of one month and
// one state, of one month of a user, or of one month of either kind.
type runs struct {
	column string // of r, the number of the month
	states bool   // the index has the state behind the month
	yearly bool   // the condition is for a month of every year
}

// merged puts the runs together in the order of the list; arm is the beginning
// of each.
func (b *builder[F]) merged(arm sq.SelectBuilder, from end) sq.SelectBuilder {
	c := b.made.find(hasRuns[F])
	direction := string(from.of(b.orders[0]))
	arm = arm.Where("r." + c.runs.column + " = month.number")
	merged := sq.Select("r.id", "r.key").FromSelect(b.months(c), "month")
	other := b.made.find(func(o *narrowed[F]) bool { return o.runs != nil && o != c })
	// Of one user's, and of one state, the index has the rows of a month in a row.
	isOne := func(c *narrowed[F]) bool { return c.column == "user_id" || c.column == "status" }
	switch {
	case other != nil:
		merged = merged.JoinClause(sq.Expr("cross join (?) other", b.months(other)))
		arm = arm.Where("r." + other.runs.column + " = other.number")
	case c.runs.states && b.made.find(isOne) == nil:
		merged = merged.JoinClause("cross join (values " + stateNumbers() + ") state (number)")
		arm = arm.Where("r.status = state.number")
	}
	return merged.JoinClause(sq.Expr("cross join lateral (?) r", arm)).OrderBy("r.key"+direction, "r.id"+direction)
}

func hasRuns[F any](c *narrowed[F]) bool { return c.runs != nil }

// months is the months that the condition lets through. Those of every year are
// the ones between the first and the last month that anything is in.
func (b *builder[F]) months(c *narrowed[F]) sq.SelectBuilder {
	if !c.runs.yearly {
		return sq.Select().Column(sq.Expr("generate_series(?::integer, ?::integer) as number", c.slots...))
	}
	column := c.runs.column
	edge := func(direction string) string {
		return "(select x." + column + " from " + b.model.table + " x where x." + column + " is not null order by x." + column + direction + " limit 1)"
	}
	bounds := "(select " + edge("") + " as low, " + edge(" desc") + " as high) y"
	return sq.Select().
		Column(sq.Expr("generate_series(y.low + mod(?::integer - mod(y.low, 12) + 12, 12), y.high, 12) as number", c.slots...)).
		From(bounds)
}

// stateNumbers is the states as the rows of a table.
func stateNumbers() string {
	rows := make([]string, len(everyStatus))
	for i, s := range everyStatus {
		rows[i] = "(" + number(s) + ")"
	}
	return strings.Join(rows, ", ")
}
