package query_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

var resources = []*readmodel.Resource{readmodel.Clients, readmodel.Deals, readmodel.Invoices, readmodel.InvoiceItems, readmodel.Contacts, readmodel.Performers, readmodel.Users}

// contract 4.11, 4.13, 4.15
func FuzzSortIsATotalOrderOrMalformed(f *testing.F) {
	fuzzseed.Add(f, []any{int64(0), ""}, []any{int64(0), "created_at"}, []any{int64(1), "-name,id,name"}, []any{int64(2), "id,-date"}, []any{int64(2), " -total_price , number"}, []any{int64(3), "--id"}, []any{int64(4), "-"}, []any{int64(5), "vat_use,-vat_use,name"}, []any{int64(6), "username,"})
	f.Fuzz(func(t *testing.T, at int64, sort string) {
		r := resources[uint64(at)%uint64(len(resources))]
		orders, err := query.SortBy(r, sort)
		isKnown := func(entry string) bool {
			entry = strings.TrimSpace(entry)
			return entry == "" || slices.Contains(r.SortNames(), strings.TrimPrefix(entry, "-"))
		}
		if isValid := !slices.ContainsFunc(strings.Split(sort, ","), func(e string) bool { return !isKnown(e) }); isValid != (err == nil) {
			t.Fatalf("%s: %q: %v", r.Name, sort, err)
		}
		if err != nil {
			if !fault.Is(err, fault.Malformed) {
				t.Errorf("%s: %q: got error %v", r.Name, sort, err)
			}
			return
		}
		var entries, seen []string
		for i, o := range orders {
			if isLast := i == len(orders)-1; (o.Attribute == "id") != isLast || slices.Contains(seen, o.Attribute) {
				t.Errorf("%s: %q is %v", r.Name, sort, orders)
			}
			seen = append(seen, o.Attribute)
			entries = append(entries, entryFor(r, o))
		}
		if again, err := query.SortBy(r, strings.Join(entries, ",")); err != nil || !slices.Equal(again, orders) {
			t.Errorf("%s: %q is %v, but formatted as %q it is %v, %v", r.Name, sort, orders, entries, again, err)
		}
	})
}

// entryFor is the entry of sort for the order.
func entryFor(r *readmodel.Resource, o readmodel.Order) string {
	i := slices.IndexFunc(r.Attributes, func(a readmodel.Attribute) bool { return a.Name == o.Attribute && a.Sort != readmodel.Unsorted })
	if o.Descending != (r.Attributes[i].Sort == readmodel.NewestFirst) {
		return "-" + o.Attribute
	}
	return o.Attribute
}

// contract 4.5, 4.8, 4.9, 4.28, 2.11
func FuzzSelectionMatchesFieldsAndExpand(f *testing.F) {
	fuzzseed.Add(f, []any{int64(0), "", ""}, []any{int64(0), "name,id", "user"}, []any{int64(0), "user.email,user", ""}, []any{int64(1), "client_id,client.name", "client,status"}, []any{int64(2), "items.name,items.price,id", ""}, []any{int64(2), "number", "items,items"},
		[]any{int64(2), "performer.name,type", ""}, []any{int64(3), "id", "x"}, []any{int64(4), "a.b.c", ""}, []any{int64(5), ",,", " , "}, []any{int64(6), "id.id", ""}, []any{int64(0), "company_address", "user"})
	f.Fuzz(func(t *testing.T, at int64, fields, expand string) {
		r := resources[uint64(at)%uint64(len(resources))]
		s, err := query.Select(r, query.Parameters{Fields: domain.Some(fields), Expand: domain.Some(expand)})
		if err != nil {
			if !fault.Is(err, fault.Malformed) {
				t.Errorf("%s: %q, %q: got error %v", r.Name, fields, expand, err)
			}
			return
		}
		named := entries(fields)
		for i, name := range named {
			if at := slices.IndexFunc(r.Attributes, func(a readmodel.Attribute) bool { return a.IDName == name }); at >= 0 {
				named[i] = r.Attributes[at].Name + ".id"
			}
		}
		isSelected := map[string]bool{}
		last := -1
		for _, n := range s.Nodes {
			index := slices.IndexFunc(r.Attributes, func(a readmodel.Attribute) bool { return &a == n.Attribute || a.Name == n.Name && a.Kind == n.Kind })
			if index <= last {
				t.Errorf("%s: %q, %q: %s is out of order", r.Name, fields, expand, n.Name)
			}
			last = index
			isSelected[n.Name] = true
			isNamed := slices.ContainsFunc(named, func(name string) bool { return name == n.Name || strings.HasPrefix(name, n.Name+".") })
			if len(named) > 0 && !isNamed && !slices.Contains(entries(expand), n.Name) {
				t.Errorf("%s: %q, %q: %s is selected without being named", r.Name, fields, expand, n.Name)
			}
		}
		for _, name := range named {
			if head, _, _ := strings.Cut(name, "."); !isSelected[head] {
				t.Errorf("%s: %q, %q: %s is not selected", r.Name, fields, expand, name)
			}
		}
		if slices.Sort(s.Paths); len(slices.Compact(slices.Clone(s.Paths))) != len(s.Paths) || len(s.Paths) > len(r.Paths())+2 {
			t.Errorf("%s: %q, %q: fetches %v", r.Name, fields, expand, s.Paths)
		}
	})
}

func entries(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
