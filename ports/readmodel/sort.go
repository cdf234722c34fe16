package readmodel

import (
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/domain/fault"
)

// Order is one key of a sort.
type Order struct {
	Attribute  string
	Descending bool
}

// SortBy reads a sort parameter; an empty one is the resource's default. The
// last key is always the id, in the direction of the key before it, so that
// every order is total. An attribute that comes again decides nothing but that
// direction. An unknown one is a fault.Malformed that lists the allowed ones.
// Nobody changes the orders: many requests share them.
func (r *Resource) SortBy(sort string) ([]Order, error) {
	if orders, ok := r.sorts.recall(sort); ok {
		return orders, nil
	}
	orders, err := r.orders(sort)
	if err == nil && len(sort) <= maxAsked {
		r.sorts.remember(strings.Clone(sort), orders)
	}
	return orders, err
}

func (r *Resource) orders(sort string) ([]Order, error) {
	names := split(sort)
	if len(names) == 0 {
		names = split(r.DefaultSort)
	}
	var orders []Order
	var last Order
	for _, entry := range names {
		name, minus := strings.CutPrefix(entry, "-")
		a := r.sortable(name)
		if a == nil {
			return nil, fault.New(fault.Malformed, "sort: %q is not one of: %s", entry, strings.Join(r.SortNames(), ", "))
		}
		last = Order{Attribute: name, Descending: minus != (a.Sort == NewestFirst)}
		if !sortsBy(orders, name) && !sortsBy(orders, "id") { // nothing after the id can change the order
			orders = append(orders, last)
		}
	}
	if !sortsBy(orders, "id") {
		orders = append(orders, Order{Attribute: "id", Descending: last.Descending})
	}
	return orders, nil
}

func sortsBy(orders []Order, name string) bool {
	return slices.ContainsFunc(orders, func(o Order) bool { return o.Attribute == name })
}

func (r *Resource) sortable(name string) *Attribute {
	for i := range r.Attributes {
		if a := &r.Attributes[i]; a.Name == name && a.Sort != Unsorted {
			return a
		}
	}
	return nil
}
