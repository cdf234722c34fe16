// Package strict checks how use cases use the unit of work.
package strict

import (
	"context"
	"errors"
	"fmt"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Tx is a unit of work with checks of its use. Every unit of work runs twice, and the first run is
// rolled back, so that a use case that depends on running once fails. Locking records in another
// order than that of repository.Stores is an error that no use case expects.
type Tx struct{ repository.Tx }

var errFirstRun = errors.New("the first run is rolled back")

// Do implements repository.Tx.
func (t Tx) Do(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	run := func(end error) error {
		return t.Tx.Do(ctx, meta, func(ctx context.Context, stores repository.Stores) error {
			if err := fn(ctx, ordered(stores)); err != nil {
				return err
			}
			return end
		})
	}
	if err := run(errFirstRun); !errors.Is(err, errFirstRun) {
		return err
	}
	return run(nil)
}

// rank is the place of a kind of records in the order of locks.
type rank int

const (
	users rank = iota
	statuses
	clients
	deals
	invoices
	contacts
)

type place struct {
	rank rank
	id   int64
}

// lockOrder is the locks of a unit of work.
type lockOrder struct {
	held       map[place]bool
	last       place
	isReaction bool // reactions lock in any order
}

// take notes a lock, which must not come before the last one.
func (o *lockOrder) take(kind rank, id int64) error {
	next := place{kind, id}
	if o.held[next] || o.isReaction {
		return nil
	}
	o.held[next] = true
	if next.rank < o.last.rank || next.rank == o.last.rank && next.id < o.last.id {
		return fmt.Errorf("record %d of the rank %d is locked out of order: repository.Stores says in which", id, kind)
	}
	o.last = next
	return nil
}

func ordered(s repository.Stores) repository.Stores {
	o := &lockOrder{held: map[place]bool{}}
	s.Rules = orderedRules{s.Rules, o}
	s.References = orderedReferences{s.References, o}
	s.Users = orderedUsers{s.Users, o}
	s.Statuses = orderedStatuses{s.Statuses, orderedStore[catalog.StatusID, *catalog.Status]{s.Statuses, o, statuses}}
	s.Clients = orderedStore[client.ID, *client.Client]{s.Clients, o, clients}
	s.Deals = orderedDeals{s.Deals, orderedStore[deal.ID, *deal.Deal]{s.Deals, o, deals}}
	s.Invoices = orderedInvoices{s.Invoices, o}
	s.Contacts = orderedContacts{s.Contacts, orderedStore[contact.ID, *contact.Contact]{s.Contacts, o, contacts}}
	return s
}

// orderedStore is a store whose locks are noted. A new record counts as locked.
type orderedStore[ID ~int64, A any] struct {
	repository.Store[ID, A]
	order *lockOrder
	kind  rank
}

func (s orderedStore[ID, A]) Lock(ctx context.Context, id ID) (a A, err error) {
	if a, err = s.Store.Lock(ctx, id); err != nil {
		return a, err
	}
	return a, s.order.take(s.kind, int64(id))
}

func (s orderedStore[ID, A]) Add(ctx context.Context, a A) (ID, error) {
	id, err := s.Store.Add(ctx, a)
	s.order.held[place{s.kind, int64(id)}] = true
	return id, err
}

type orderedStatuses struct {
	repository.Statuses
	store orderedStore[catalog.StatusID, *catalog.Status]
}

func (s orderedStatuses) Lock(ctx context.Context, id catalog.StatusID) (*catalog.Status, error) {
	return s.store.Lock(ctx, id)
}

func (s orderedStatuses) Add(ctx context.Context, st *catalog.Status) (catalog.StatusID, error) {
	return s.store.Add(ctx, st)
}

type orderedDeals struct {
	repository.Deals
	store orderedStore[deal.ID, *deal.Deal]
}

func (s orderedDeals) Lock(ctx context.Context, id deal.ID) (*deal.Deal, error) {
	return s.store.Lock(ctx, id)
}

func (s orderedDeals) Add(ctx context.Context, d *deal.Deal) (deal.ID, error) {
	return s.store.Add(ctx, d)
}

type orderedContacts struct {
	repository.Contacts
	store orderedStore[contact.ID, *contact.Contact]
}

func (s orderedContacts) Lock(ctx context.Context, id contact.ID) (*contact.Contact, error) {
	return s.store.Lock(ctx, id)
}

type orderedUsers struct {
	repository.Users
	order *lockOrder
}

func (s orderedUsers) Lock(ctx context.Context, id user.ID) (*user.User, error) {
	return s.locked(s.Users.Lock(ctx, id))
}

func (s orderedUsers) LockByName(ctx context.Context, username string) (*user.User, error) {
	return s.locked(s.Users.LockByName(ctx, username))
}

func (s orderedUsers) locked(u *user.User, err error) (*user.User, error) {
	if err != nil {
		return nil, err
	}
	return u, s.order.take(users, int64(u.State().ID))
}

type orderedInvoices struct {
	repository.Invoices
	order *lockOrder
}

func (s orderedInvoices) Lock(ctx context.Context, id invoice.ID) (*invoice.Invoice, error) {
	return s.locked(s.Invoices.Lock(ctx, id))
}

func (s orderedInvoices) LockHeader(ctx context.Context, id invoice.ID) (*invoice.Invoice, error) {
	return s.locked(s.Invoices.LockHeader(ctx, id))
}

func (s orderedInvoices) LockByLine(ctx context.Context, id invoice.LineID) (*invoice.Invoice, error) {
	return s.locked(s.Invoices.LockByLine(ctx, id))
}

func (s orderedInvoices) LockCredited(ctx context.Context, note invoice.ID) (*invoice.Invoice, error) {
	inv, err := s.Invoices.LockCredited(ctx, note)
	if inv == nil {
		return nil, err
	}
	return s.locked(inv, err)
}

func (s orderedInvoices) LockCredits(ctx context.Context, id invoice.ID) (notes []*invoice.Invoice, isLeft bool, err error) {
	notes, isLeft, err = s.Invoices.LockCredits(ctx, id)
	for _, n := range notes {
		if err == nil {
			_, err = s.locked(n, nil)
		}
	}
	return notes, isLeft, err
}

func (s orderedInvoices) locked(inv *invoice.Invoice, err error) (*invoice.Invoice, error) {
	if err != nil {
		return nil, err
	}
	return inv, s.order.take(invoices, int64(inv.State().ID))
}

func (s orderedInvoices) Add(ctx context.Context, inv *invoice.Invoice) (invoice.ID, error) {
	id, err := s.Invoices.Add(ctx, inv)
	s.order.held[place{invoices, int64(id)}] = true
	return id, err
}

type orderedReferences struct {
	repository.References
	order *lockOrder
}

func (s orderedReferences) Find(ctx context.Context, ids repository.ReferenceIDs) (repository.Referred, error) {
	found, err := s.References.Find(ctx, ids)
	if err == nil && found.Deal != nil {
		err = s.order.take(deals, int64(ids.LockedDeal))
	}
	return found, err
}

type orderedRules struct {
	repository.Rules
	order *lockOrder
}

func (s orderedRules) SetReaction(reaction string) {
	s.order.isReaction = reaction != ""
	s.Rules.SetReaction(reaction)
}
