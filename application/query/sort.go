package query

import (
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// SortBy parses a sort parameter; an empty one means the resource's default. The
// last key is always the id, in the direction of the key before it, so that every
// order is total. A repeated attribute is ignored, except that the id follows its
// direction. An unknown attribute is a fault.Malformed that lists the allowed ones.
func SortBy(r *readmodel.Resource, sort string) ([]readmodel.Order, error) {
	names := split(sort)
	if len(names) == 0 {
		names = split(r.DefaultSort)
	}
	var orders []readmodel.Order
	var last readmodel.Order
	for _, entry := range names {
		name, minus := strings.CutPrefix(entry, "-")
		a := sortable(r, name)
		if a == nil {
			return nil, notOneOf("sort", entry, r.SortNames())
		}
		last = readmodel.Order{Attribute: name, Descending: minus != (a.Sort == readmodel.NewestFirst)}
		if !sortsBy(orders, name) && !sortsBy(orders, "id") { // a key after the id cannot change the order
			orders = append(orders, last)
		}
	}
	if !sortsBy(orders, "id") {
		orders = append(orders, readmodel.Order{Attribute: "id", Descending: last.Descending})
	}
	return orders, nil
}

func sortsBy(orders []readmodel.Order, name string) bool {
	return slices.ContainsFunc(orders, func(o readmodel.Order) bool { return o.Attribute == name })
}

func sortable(r *readmodel.Resource, name string) *readmodel.Attribute {
	for i := range r.Attributes {
		if a := &r.Attributes[i]; a.Name == name && a.Sort != readmodel.Unsorted {
			return a
		}
	}
	return nil
}
