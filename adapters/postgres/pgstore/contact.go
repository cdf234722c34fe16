package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
)

var contacts = kept("contacts", table[contact.ID, *contact.Contact, contact.State]{
	what: "contact", restore: contact.Restore, same: same[contact.State],
	key: func(s *contact.State) (*contact.ID, *int64) { return &s.ID, &s.Version },
}, func(c *columns, s *contact.State) {
	link(c, "client_id", s, contact.ToClient, contact.Link.Client)
	link(c, "deal_id", s, contact.ToDeal, contact.Link.Deal)
	title(c, "name", &s.Name)
	sorted(c, "phone", &s.Phone)
	sorted(c, "mobile", &s.Mobile)
	sorted(c, "email", &s.Email)
	text(c, "rank", &s.Rank)
	touched(c, "updated_at")
	text(c, "ref", &s.Ref)
})

// link is one of the two links, which is null if the contact has the other.
func link[ID ~int64](c *columns, name string, s *contact.State, to func(ID) contact.Link, of func(contact.Link) (ID, bool)) {
	isStored := c.stored(name, "%s", scanner(func(src any) error {
		if id, ok := src.(int64); ok {
			s.Link = to(ID(id))
		}
		return nil
	}))
	if isStored {
		id, _ := of(s.Link)
		c.values = append(c.values, reference(id))
	}
}

// The contacts of one client or deal are locked in the order of their ids, as those of
// every writer of several.
const (
	removeContactsOfClient = `
delete from contacts
where id in (
    select id
    from contacts
    where client_id = $1
    order by id
    for update
)`
	removeContactsOfDeal = `
delete from contacts
where id in (
    select id
    from contacts
    where deal_id = $1
    order by id
    for update
)`
	handOverContacts = `
update contacts
set version = version + 1, client_id = $2, deal_id = null, updated_at = greatest(updated_at, $3)
where id in (
    select id
    from contacts
    where deal_id = $1
    order by id
    for update
)`
)

type contactStore struct {
	*records[contact.ID, *contact.Contact, contact.State]
}

func (r contactStore) RemoveOf(_ context.Context, link contact.Link) error {
	if id, ok := link.Client(); ok {
		r.Writer.Lock("select from clients where id = $1\nfor update", id) // new contacts wait, and then have no client
		r.Writer.Remove(removeContactsOfClient, id)
		return nil
	}
	id, _ := link.Deal()
	r.Writer.Remove(removeContactsOfDeal, id)
	return nil
}

func (r contactStore) HandOver(_ context.Context, from deal.ID, to client.ID) error {
	r.Store(handOverContacts, from, to, r.meta.At)
	return nil
}
