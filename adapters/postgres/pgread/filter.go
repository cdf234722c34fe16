package pgread

import (
	"slices"
	"strings"

	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// condition is one way to narrow a list.
type condition[F any] struct {
	// asked is what the filter asks for, a value for each ? below; nil if it
	// does not ask.
	asked func(F) []any
	// column is the column of r that has the value; "" if it is not as simple.
	column string
	// where is the condition on a row r.
	where string
	// tallied is the condition on a row t of the list's totals or changes; ""
	// if these do not know it. A substring is only known to the changes.
	tallied string
	// cube is the column in which the totals have a zero for all values.
	cube string
	// search tells that where looks for a substring.
	search *search
	// counted is the column of client_counts that has the total of a list
	// that is narrowed by this condition alone.
	counted string
	// sorts are the attributes besides that of the default order by which an index
	// has the rows of one value.
	sorts []string
	// runs are the rows of one value each of which is in the list's default
	// order.
	runs *runs
}

// search is where a substring is found.
type search struct {
	table string // with the columns id and text_key
	ref   string // the column of r that holds its id
	key   string // the column of r that holds the same text; "" if r has none
}

// equal narrows to the rows with the value in a column that totals and changes
// have too.
func equal[F any, T ~int64 | ~uint8](column string, value func(F) optional.Of[T]) condition[F] {
	return condition[F]{
		column:  column,
		where:   "r." + column + " = ?",
		tallied: "t." + column + " = ?",
		asked:   func(f F) []any { return one(value(f)) },
	}
}

func one[T ~int64 | ~uint8](value optional.Of[T]) []any {
	v, ok := value.Get()
	if !ok {
		return nil
	}
	return []any{int64(v)}
}

// in makes the condition one on a column in which the totals have a zero for
// all values.
func (c condition[F]) in(cube string) condition[F] {
	c.cube = cube
	return c
}

// sortedBy makes the condition one whose rows an index has in these orders too.
func (c condition[F]) sortedBy(attributes ...string) condition[F] {
	c.sorts = attributes
	return c
}

// untallied makes the condition one that totals know nothing of.
func (c condition[F]) untallied() condition[F] {
	c.tallied = ""
	return c
}

// countedBy makes the condition one by the client that has the count.
func (c condition[F]) countedBy(column string) condition[F] {
	c.counted = column
	return c
}

// containing narrows to the rows whose key holds the text.
func containing[F any](s search, text func(F) string) condition[F] {
	return condition[F]{
		where:   "r." + s.key + " like ?",
		tallied: "t.text_key like ?",
		search:  &s,
		asked:   func(f F) []any { return pattern(text(f)) },
	}
}

func pattern(text string) []any {
	if text == "" {
		return nil
	}
	return []any{textkey.Containing(text)}
}

// matching narrows to the rows whose key is that of the text.
func matching[F any](column string, text func(F) string) condition[F] {
	return condition[F]{
		where: "r." + column + " = ?",
		asked: key(text),
	}
}

// key is the key of a text that is asked for.
func key[F any](text func(F) string) func(F) []any {
	return func(f F) []any {
		if text(f) == "" {
			return nil
		}
		return []any{textkey.Of(text(f))}
	}
}

// narrowing is the conditions that a request makes of those that a list has.
type narrowing[F any] []*narrowed[F]

// narrowed is a condition that is made, with the places of its values.
type narrowed[F any] struct {
	*condition[F]
	slots []any
}

// set is which of a list's conditions are made, a bit for each.
type set uint32

// narrow finds out which conditions the filter makes, and fills in their
// values.
func narrow[F any](all []condition[F], filter F, v *values) (made set) {
	next := slotFilter
	for i := range all {
		asked := all[i].asked(filter)
		if len(asked) == 0 {
			continue
		}
		made |= 1 << i
		next += slot(copy(v[next:], asked))
	}
	return made
}

// conditionsIn is the conditions of the set, with their slots as narrow fills
// them.
func conditionsIn[F any](all []condition[F], made set) narrowing[F] {
	var n narrowing[F]
	next := slotFilter
	for i := range all {
		if made&(1<<i) == 0 {
			continue
		}
		c := &narrowed[F]{condition: &all[i]}
		for range strings.Count(all[i].where, "?") {
			c.slots = append(c.slots, next)
			next++
		}
		n = append(n, c)
	}
	return n
}

// tallies is the conditions on rows t of totals or changes.
func (n narrowing[F]) tallies() sq.And {
	and := sq.And{}
	for _, c := range n {
		and = append(and, sq.Expr(c.tallied, c.slots...))
	}
	return and
}

func (n narrowing[F]) all(is func(*narrowed[F]) bool) bool {
	for _, c := range n {
		if !is(c) {
			return false
		}
	}
	return true
}

func (n narrowing[F]) find(is func(*narrowed[F]) bool) *narrowed[F] {
	for _, c := range n {
		if is(c) {
			return c
		}
	}
	return nil
}

// serve tells whether an index has the rows in the order.
func (n narrowing[F]) serve(orders []readmodel.Order) bool {
	return len(n) == 1 && slices.Contains(n[0].sorts, orders[0].Attribute)
}

func isSearch[F any](c *narrowed[F]) bool  { return c.search != nil }
func isTallied[F any](c *narrowed[F]) bool { return c.tallied != "" }
