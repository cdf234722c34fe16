package pgstore

import (
	"fmt"
	"slices"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/ports/repository"
)

// ReadModels is the projection that stores what derive.ListChangesOf computes: the
// rows of the change tables, from which the rollups are folded, and the search keys.
//
// Of each changed record the newest batch gets a row with delta -1 that says what it
// was, and one with delta 1 that says what it is; a new record has the second only, a
// removed one the first. So in every snapshot the folded sums and the rows of the
// batches that are not folded add up to the records. Rows are only inserted: writers
// share no row that one of them changes, and never wait for each other here. The batch
// stays locked until the unit of work ends, so that it is folded only once all its
// rows are visible.
//
// A search key is written only if it differs from before.
type ReadModels struct{}

// Project queues the rows.
func (ReadModels) Project(_ repository.Meta, changes repository.Changes, w *Writer) {
	c := derive.ListChangesOf(changes, textkey.Search)
	store(w, listedClients, c.Clients)
	store(w, listedDeals, c.Deals)
	storeAgreements(w, c)
	store(w, listedInvoices, c.Invoices)
}

var (
	listedClients = newListed(listdef.Clients, func(e derive.ClientEntry) []field {
		return []field{{"user_id", e.UserID}, {"type", int16(e.Type)}}
	})
	listedDeals = newListed(listdef.Deals, func(e derive.DealEntry) []field {
		return []field{
			{"client_id", reference(e.ClientID)}, {"user_id", e.UserID}, {"type_id", reference(e.TypeID)}, {"status_id", e.StatusID},
		}
	})
)

// field is the value of a column of a change table, or the parameter that the declaration
// computes it from.
type field struct {
	column string
	value  any
}

type entry interface {
	comparable
	Common() derive.ListEntry
}

// listed is how the changes of one list are stored: the statements, and the values of
// their parameters.
type listed[E entry] struct {
	changes changeSQL
	search  searchSQL
	fields  func(E) []field
}

func newListed[E entry](l *listdef.List, fields func(E) []field) listed[E] {
	columns := l.Columns
	insert := func(rows string, _ int) string { return insertChanges(l, names(columns, "v."), rows) }
	return listed[E]{changes: changeStatements(columns, insert), search: searchIn(l), fields: checked(columns, fields)}
}

// checked panics if the fields are not those of the columns, in their order.
func checked[E any](columns []listdef.Column, fields func(E) []field) func(E) []field {
	var zero E
	var names, declared []string
	for _, f := range fields(zero) {
		names = append(names, f.column)
	}
	for _, c := range columns {
		declared = append(declared, c.Name)
	}
	if !slices.Equal(names, declared) {
		panic(fmt.Sprintf("the fields of %T are %s, and the columns %s are declared", zero, names, declared))
	}
	return fields
}

// row appends the values of the entry in the order of the statement's parameters.
func (l listed[E]) row(values []any, e E) []any {
	for _, f := range l.fields(e) {
		values = append(values, f.value)
	}
	return values
}

// store queues the rows: a statement for the change rows of each record, and one for its search
// key, which follows it: it may wait for a rebuild only before it holds any key.
func store[E entry](w *Writer, l listed[E], changes []repository.Change[E]) {
	for _, c := range changes {
		switch {
		case c.Before == nil:
			e := (*c.After).Common()
			w.Store(l.changes.added, l.row(nil, *c.After)...)
			w.Store(l.search.add, e.ID, e.CreatedAt, e.TextKey)
		case c.After == nil:
			w.Store(l.changes.removed, l.row(nil, *c.Before)...)
			w.Remove(l.search.remove, (*c.Before).Common().ID)
		default:
			before, after := (*c.Before).Common(), (*c.After).Common()
			w.Store(l.changes.changed, l.row(l.row(nil, *c.Before), *c.After)...)
			if before.TextKey != after.TextKey {
				w.Store(l.search.change, after.ID, after.TextKey)
			}
		}
	}
}
