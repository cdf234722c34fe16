package pgread

import (
	"slices"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// direction is that of one key of an order.
type direction string

const (
	ascending  direction = ""
	descending direction = " desc"
)

// beyond returns the operator for later rows in the direction.
func (d direction) beyond() string {
	if d == descending {
		return "<"
	}
	return ">"
}

// end is the end of a list from which rows are read.
type end int

const (
	front end = iota
	back
)

// of returns the direction in which the order is read from the end.
func (e end) direction(o readmodel.Order) direction {
	if o.Descending == (e == front) {
		return descending
	}
	return ascending
}

// orderBy returns the order in which the list is read from the end.
func (m *mapping) orderBy(orders []readmodel.Order, from end) []string {
	exprs := make([]string, len(orders))
	for i, o := range orders {
		exprs[i] = m.sortKey(o.Attribute) + string(from.direction(o))
	}
	return exprs
}

func (m *mapping) sortKey(attribute string) string {
	if key, ok := m.keys[attribute]; ok {
		return key
	}
	return m.columns[attribute]
}

// isSeekable reports whether the order has cursors: it must be that of one short
// attribute, with the ids in the same direction.
func (m *mapping) isSeekable(orders []readmodel.Order) bool {
	if len(orders) == 1 {
		return true
	}
	return len(orders) == 2 && orders[0].Descending == orders[1].Descending && !slices.Contains(m.long, orders[0].Attribute)
}
