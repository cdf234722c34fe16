package command

import (
	"context"
	"slices"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Contacts are the use cases that change contacts.
type Contacts struct {
	records[contact.ID, *contact.Contact, contact.State]
}

// NewContacts returns the use cases of contacts.
func NewContacts(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Contacts {
	return &Contacts{records[contact.ID, *contact.Contact, contact.State]{
		base:    base{tx, clock, rules, access.Business},
		repo:    func(s repository.Stores) repository.Store[contact.ID, *contact.Contact] { return s.Contacts },
		version: func(s contact.State, _ contact.ID) int64 { return s.Version },
		kind:    rule.Contacts,
		ref:     func(s contact.State) string { return s.Ref },
	}}
}

// ContactLink names the client or the deal of a new contact; zero is none. If
// both are set, the deal must belong to the client.
type ContactLink struct {
	ClientID client.ID
	DealID   deal.ID
}

// Create adds a contact and returns its id. The contact is linked to the client,
// or else to the client of the deal, or to the deal if that has no client.
func (u *Contacts) Create(ctx context.Context, r Request, l ContactLink, a contact.Attributes) (contact.ID, error) {
	return u.create(ctx, r, u.draft(l, a))
}

func (u *Contacts) draft(l ContactLink, a contact.Attributes) preparation[*contact.Contact, contact.State] {
	return func(ctx context.Context, w work) (d draft[*contact.Contact, contact.State], _ error) {
		record, invalid := contact.New(l.sent(w.Request), a)
		d = draftOf(contact.State{Link: l.sent(w.Request)}.With(a), record, invalid)
		if l.DealID == 0 {
			d.ids.Client = l.ClientID
			return d, nil
		}
		// The deal is locked, so that it cannot gain a client, and hand over its
		// contacts, before the new one is there to be handed over.
		found, err := w.References.Find(ctx, repository.ReferenceIDs{Client: l.ClientID, LockedDeal: l.DealID})
		if err != nil || found.Missing != nil {
			d.missing = found.Missing
			return d, err
		}
		owner := found.Deal.State().ClientID
		d.missing = l.checkDeal(owner)
		if d.invalid == nil && owner != 0 {
			d.record.HandTo(owner)
		}
		return d, nil
	}
}

// Update sets the attributes that are present; the link cannot change.
func (u *Contacts) Update(ctx context.Context, r Request, id contact.ID, a contact.Attributes) error {
	return u.update(ctx, r, id, u.edit(a))
}

func (u *Contacts) edit(a contact.Attributes) edit[*contact.Contact, contact.State] {
	e := editOf(
		func(_ context.Context, _ work, c *contact.Contact) error { return c.Update(a) },
		func(_ work, before contact.State) contact.State { return before.With(a) })
	e.ignored = func(contact.State) []string { return []string{"client_id", "deal_id"} }
	return e
}

// Put changes the contact with the ref in the attributes as Update does, or creates it as Create does.
func (u *Contacts) Put(ctx context.Context, r Request, l ContactLink, a contact.Attributes) error {
	return u.put(ctx, r, a.Ref.Or(""), u.draft(l, a), u.edit(a))
}

// Delete deletes a contact.
func (u *Contacts) Delete(ctx context.Context, r Request, id contact.ID) error {
	return u.remove(ctx, r, id, nil, nil)
}

// unreadable is a link that was sent and could not be read.
const unreadable client.ID = -1

// sent returns the link as far as it is known without the deal. One that could
// not be read is not missing, and is rejected as what it is.
func (l ContactLink) sent(r Request) contact.Link {
	switch {
	case l.ClientID != 0:
		return contact.ToClient(l.ClientID)
	case l.DealID != 0:
		return contact.ToDeal(l.DealID)
	case slices.ContainsFunc(r.Wrong, func(f fault.Field) bool { return f.Name == "client_id" || f.Name == "deal_id" }):
		return contact.ToClient(unreadable)
	}
	return contact.Link{}
}

// checkDeal rejects the deal of another client than the one that is given.
func (l ContactLink) checkDeal(owner client.ID) error {
	if l.ClientID == 0 || l.ClientID == owner {
		return nil
	}
	return fault.As(fault.ForField(fault.Invalid, "deal_id", "must be a deal of the client")).Coded(fault.Mismatch)
}
