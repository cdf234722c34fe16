package readmodel

import (
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
// every order is total. An unknown or repeated attribute is a fault.Malformed
// that lists the allowed ones.
func (r *Resource) SortBy(sort string) ([]Order, error) {
	names := split(sort)
	if len(names) == 0 {
		names = split(r.DefaultSort)
	}
	var orders []Order
	for _, entry := range names {
		name, minus := strings.CutPrefix(entry, "-")
		a := r.sortable(name)
		if a == nil {
			return nil, fault.New(fault.Malformed, "sort: %q is not one of: %s", entry, r.names(func(a *Attribute) bool { return a.Sort != Unsorted }))
		}
		orders = append(orders, Order{Attribute: name, Descending: minus != (a.Sort == NewestFirst)})
		if name == "id" {
			return orders, nil // nothing after the id can change the order
		}
	}
	return append(orders, Order{Attribute: "id", Descending: orders[len(orders)-1].Descending}), nil
}

func (r *Resource) sortable(name string) *Attribute {
	for i := range r.Attributes {
		if a := &r.Attributes[i]; a.Name == name && a.Sort != Unsorted {
			return a
		}
	}
	return nil
}
