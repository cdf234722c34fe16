package pgread

import (
	"fmt"
	"slices"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

type filter[F any] struct {
	// params names the filter's parameters.
	params []string
	// values sets their values and reports whether the filter is set.
	values func(f F, into []any) bool
	// where is the predicate on a row r.
	where string
	// column is the column that the filter is for, in the change table and the rollup;
	// "" if these have none.
	column string
	// recorded is the predicate on a row t of these. A substring is known to the change
	// table only.
	recorded string
	// search is set if the filter looks for a substring.
	search *search
	// client filters are for the client that the records are counted for.
	client bool
	// sorts are the attributes, besides that of the default order, in whose order an
	// index has the rows of one value.
	sorts []string
	// months is set if the rows are runs in the default order.
	months *months
	// unindexed filters are tested on each record.
	unindexed bool

	// What newReader derives from the list's declaration:
	first    int  // the index of its first parameter
	rolledUp bool // the column is a key of the rollup
	anyKey   bool // in which 0 means all values
	// selective filters leave few records of a long list.
	selective bool
}

type search struct {
	table string // with the columns id and text_key
	ref   string // the column of r that refers to its id
	key   string // the column of r with the same text; "" if r has none
}

func equal[F any, T ~int64 | ~uint8](column string, value func(F) optional.Of[T]) filter[F] {
	return filter[F]{
		column:   column,
		params:   []string{column},
		values:   func(f F, into []any) bool { return set(into, value(f)) },
		where:    "r." + column + " = :" + column,
		recorded: "t." + column + " = :" + column,
	}
}

func ofClient[F any, T ~int64](value func(F) optional.Of[T]) filter[F] {
	f := equal("client_id", value)
	f.client = true
	return f
}

func set[T ~int64 | ~uint8 | ~int](into []any, value optional.Of[T]) bool {
	v, ok := value.Get()
	if ok {
		into[0] = int64(v)
	}
	return ok
}

// sortedBy adds orders in which an index has the rows of one value.
func (f filter[F]) sortedBy(attributes ...string) filter[F] {
	f.sorts = attributes
	return f
}

// containing returns the filter for the records of the list whose search key contains
// the text.
func containing[F any](list *listdef.List, param string, text func(F) string) filter[F] {
	return filter[F]{
		params:   []string{param},
		values:   pattern(text),
		where:    "r." + list.SearchKey + " like :" + param,
		column:   "text_key",
		recorded: "t.text_key like :" + param,
		search:   &search{table: list.Search, ref: "id", key: list.SearchKey},
	}
}

func pattern[F any](text func(F) string) func(F, []any) bool {
	return func(f F, into []any) bool {
		if text(f) == "" {
			return false
		}
		into[0] = textkey.Containing(text(f))
		return true
	}
}

func key[F any](text func(F) string) func(F, []any) bool {
	return func(f F, into []any) bool {
		if text(f) == "" {
			return false
		}
		into[0] = textkey.Of(text(f))
		return true
	}
}

// resolve derives from the declaration of the list what its read models know of the
// filter. A parameter that the predicates do not have, or one that is not the
// filter's, is a programming error.
func (f *filter[F]) resolve(list *listdef.List, first int) {
	f.first = first
	if list == nil || !slices.ContainsFunc(list.AllColumns(), func(c listdef.Column) bool { return c.Name == f.column }) {
		f.recorded = ""
	}
	if list != nil && list.Rollup != nil {
		at := slices.IndexFunc(list.Rollup.Keys, func(k listdef.Key) bool { return k.Name == f.column })
		f.rolledUp = at >= 0
		f.anyKey = at >= 0 && list.Rollup.Keys[at].Any
	}
	f.selective = list != nil && !f.rolledUp && f.search == nil && !f.unindexed
	for _, predicate := range []string{f.where, f.recorded} {
		if used := parametersIn(predicate); predicate != "" && !sameNames(used, f.params) {
			panic(fmt.Sprintf("a filter with the parameters %q has the predicate %s", f.params, predicate))
		}
	}
}

func sameNames(a, b []string) bool {
	return !slices.ContainsFunc(a, func(name string) bool { return !slices.Contains(b, name) }) &&
		!slices.ContainsFunc(b, func(name string) bool { return !slices.Contains(a, name) })
}

// filterSet is which of a list's filters are set, a bit for each.
type filterSet uint32

// predicates are the filters that are set, and what they have in common.
type predicates[F any] struct {
	filters []*filter[F]
	traits  filterTraits // but for inOrder, which depends on the sort
}

// filtersIn sets the parameters of the filters that are set.
func filtersIn[F any](all []filter[F], asked F, values params) (in filterSet) {
	for i := range all {
		f := &all[i]
		if f.values(asked, values[f.first:f.first+len(f.params)]) {
			in |= 1 << i
		}
	}
	return in
}

func predicatesOf[F any](m *mapping, all []filter[F], in filterSet) *predicates[F] {
	p := &predicates[F]{}
	for i := range all {
		if in&(1<<i) != 0 {
			p.filters = append(p.filters, &all[i])
		}
	}
	is := (*filter[F]).isSearch
	p.traits = filterTraits{
		count:          len(p.filters),
		rolledUp:       p.areRolledUp(m),
		recorded:       p.all(func(f *filter[F]) bool { return f.recorded != "" }),
		substring:      p.find(is) != nil,
		onlySubstrings: p.all(is),
		months:         p.find((*filter[F]).hasMonths) != nil,
		selective:      p.find(func(f *filter[F]) bool { return f.selective }) != nil,
		unindexed:      p.find(func(f *filter[F]) bool { return f.unindexed }) != nil,
	}
	if len(p.filters) == 1 {
		f := p.filters[0]
		p.traits.client = f.client && f.search == nil
		p.traits.clientName = f.client && f.search != nil
	}
	return p
}

// areRolledUp reports whether the rollup has sums by all of the filters at once.
func (p *predicates[F]) areRolledUp(m *mapping) bool {
	keys := 0
	for _, f := range p.filters {
		if f.anyKey {
			keys++
		}
	}
	return p.all(func(f *filter[F]) bool { return f.rolledUp }) && (m.total.MaxKeys == 0 || keys <= m.total.MaxKeys)
}

// inOrder reports whether there is a single filter, and an index has its rows in that order.
func (p *predicates[F]) inOrder(orders []readmodel.Order) bool {
	return len(p.filters) == 1 && slices.Contains(p.filters[0].sorts, orders[0].Attribute)
}

// recorded returns the predicates on rows t of the rollup or the change table.
func (p *predicates[F]) recorded() []string {
	predicates := make([]string, len(p.filters))
	for i, f := range p.filters {
		predicates[i] = f.recorded
	}
	return predicates
}

func (p *predicates[F]) all(is func(*filter[F]) bool) bool {
	return !slices.ContainsFunc(p.filters, func(f *filter[F]) bool { return !is(f) })
}

func (p *predicates[F]) find(is func(*filter[F]) bool) *filter[F] {
	if at := slices.IndexFunc(p.filters, is); at >= 0 {
		return p.filters[at]
	}
	return nil
}

func (f *filter[F]) isSearch() bool { return f.search != nil }

func (f *filter[F]) hasMonths() bool { return f.months != nil }

func (p *predicates[F]) filtersBy(columns []string) bool {
	return p.find(func(f *filter[F]) bool { return slices.Contains(columns, f.column) }) != nil
}
