package derive

import (
	"time"

	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// ListEntry has the values of a record that lists filter, count and search by. A
// change that leaves the entry equal affects no list.
type ListEntry struct {
	ID        int64
	CreatedAt time.Time
	TextKey   string // the key of the name or number that the list is searched by
}

// Common returns the part that the entries of all lists have.
func (e ListEntry) Common() ListEntry { return e }

// ClientEntry is the entry of a client.
type ClientEntry struct {
	ListEntry
	UserID user.ID
	Type   client.Type
}

// DealEntry is the entry of a deal.
type DealEntry struct {
	ListEntry
	ClientID client.ID
	UserID   user.ID
	TypeID   catalog.DealTypeID
	StatusID catalog.StatusID
}

// AgreementEntry is the entry of an offer or contract. Its client is that of its deal:
// set if the unit of work has changed the deal; otherwise the entry has the deal, and
// the store looks up the client.
type AgreementEntry struct {
	ListEntry
	DealID   deal.ID
	ClientID client.ID
}

// InvoiceEntry is the entry of an invoice.
type InvoiceEntry struct {
	ListEntry
	ClientID client.ID
	UserID   user.ID
	TypeID   catalog.InvoiceTypeID
	Status   invoice.Status
	Month    int       // counted from January of the year 0
	PaidOn   time.Time // its month depends on the time zone of the database
	Lines    int       // how many there are
}

// DealMove is a deal that got another client, or none.
type DealMove struct {
	DealID   deal.ID
	From, To client.ID
}

// ListChanges are the net changes by a unit of work to the entries of lists: at most
// one for each record, and none if its entry is the same as before, or if it was both
// added and deleted. Those of one list are in the order in which the records were
// first changed.
type ListChanges struct {
	Clients   []repository.Change[ClientEntry]
	Deals     []repository.Change[DealEntry]
	Offers    []repository.Change[AgreementEntry]
	Contracts []repository.Change[AgreementEntry]
	Invoices  []repository.Change[InvoiceEntry]
	// Moves are the deals whose documents, except for those with a change of their
	// own, move to another client.
	Moves []DealMove
}

// ListChangesOf returns the changes to lists; textKey returns the search key of a
// text.
func ListChangesOf(c repository.Changes, textKey func(string) string) ListChanges {
	keyed := entryWith(textKey)
	l := ListChanges{
		Clients: listChanges(net(c.Clients, func(s client.State) client.ID { return s.ID }), func(s *client.State, _ when) ClientEntry {
			return ClientEntry{keyed(int64(s.ID), s.CreatedAt, s.Name), s.UserID, s.Type}
		}),
		Deals: listChanges(net(c.Deals, func(s deal.State) deal.ID { return s.ID }), func(s *deal.State, _ when) DealEntry {
			return DealEntry{keyed(int64(s.ID), s.CreatedAt, s.Name), s.ClientID, s.UserID, s.TypeID, s.StatusID}
		}),
		Invoices: listChanges(net(c.Invoices, func(s invoice.State) invoice.ID { return s.ID }), func(s *invoice.State, _ when) InvoiceEntry {
			return InvoiceEntry{
				ListEntry: keyed(int64(s.ID), s.CreatedOn, s.Number), ClientID: s.ClientID, UserID: s.UserID, TypeID: s.TypeID, Status: s.Status,
				Month: s.Date.Year()*12 + int(s.Date.Month()) - 1, PaidOn: s.PaidOn, Lines: s.TotalCount,
			}
		}),
	}
	known := clientsOfDeals{before: {}, after: {}}
	for _, d := range l.Deals {
		if d.Before != nil {
			known[before][deal.ID(d.Before.ID)] = d.Before.ClientID
		}
		if d.After != nil {
			known[after][deal.ID(d.After.ID)] = d.After.ClientID
		}
		if d.Before != nil && d.After != nil && d.Before.ClientID != d.After.ClientID {
			l.Moves = append(l.Moves, DealMove{deal.ID(d.After.ID), d.Before.ClientID, d.After.ClientID})
		}
	}
	l.Offers = agreementChanges(c.Offers, keyed, known)
	l.Contracts = agreementChanges(c.Contracts, keyed, known)
	return l
}

func entryWith(textKey func(string) string) func(id int64, createdAt time.Time, text string) ListEntry {
	return func(id int64, createdAt time.Time, text string) ListEntry {
		return ListEntry{ID: id, CreatedAt: createdAt, TextKey: textKey(text)}
	}
}

// when is the time of a state: before the unit of work or after it.
type when int

const (
	before when = iota
	after
)

// clientsOfDeals are the clients of the deals that the unit of work has changed.
type clientsOfDeals map[when]map[deal.ID]client.ID

func agreementChanges[ID agreement.Identifier](
	changes []repository.Change[agreement.State[ID]], keyed func(int64, time.Time, string) ListEntry, known clientsOfDeals,
) []repository.Change[AgreementEntry] {
	agreementID := func(s agreement.State[ID]) ID { return s.ID }
	return listChanges(net(changes, agreementID), func(s *agreement.State[ID], at when) AgreementEntry {
		e := AgreementEntry{ListEntry: keyed(int64(s.ID), s.CreatedOn, s.Number)}
		if c, ok := known[at][s.DealID]; ok {
			e.ClientID = c
		} else {
			e.DealID = s.DealID
		}
		return e
	})
}

// listChanges turns the net changes of records into those of entries, and leaves out
// those with equal entries.
func listChanges[S any, E comparable](changes []repository.Change[S], entry func(s *S, at when) E) []repository.Change[E] {
	var list []repository.Change[E]
	for _, c := range changes {
		var e repository.Change[E]
		if c.Before != nil {
			e.Before = new(entry(c.Before, before))
		}
		if c.After != nil {
			e.After = new(entry(c.After, after))
		}
		if e.Before == nil || e.After == nil || *e.Before != *e.After {
			list = append(list, e)
		}
	}
	return list
}

// net combines the changes of each record into one, from the state before the first to
// the one after the last, in the order of the first. A record that was both added and
// removed has none.
func net[ID comparable, S any](changes []repository.Change[S], id func(S) ID) []repository.Change[S] {
	var all []repository.Change[S]
	index := map[ID]int{}
	for _, c := range changes {
		state := c.After
		if state == nil {
			state = c.Before
		}
		i, known := index[id(*state)]
		if !known {
			index[id(*state)] = len(all)
			all = append(all, c)
			continue
		}
		all[i].After = c.After
	}
	remaining := all[:0]
	for _, c := range all {
		if c.Before != nil || c.After != nil {
			remaining = append(remaining, c)
		}
	}
	return remaining
}
