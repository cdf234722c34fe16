package pgstore

import (
	"context"
	"database/sql"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
)

type contacts struct {
	tracker[contact.ID, contact.State]
}

func contactKey(s contact.State) contact.ID { return s.ID }

const selectContacts = `
select
    id, version, client_id, deal_id, name,
    coalesce(phone, ''), coalesce(mobile, ''), coalesce(email, ''), coalesce(rank, ''),
    coalesce(ref, '')
from contacts
`

func contactColumns(s *contact.State) []any {
	return []any{
		&s.ID, &s.Version, link(s, contact.ToClient), link(s, contact.ToDeal), &s.Name, &s.Phone, &s.Mobile, &s.Email, &s.Rank,
		&s.Ref,
	}
}

// link scans one of the two links, which is null if the contact has the other.
func link[ID ~int64](s *contact.State, to func(ID) contact.Link) sql.Scanner {
	return scanner(func(src any) error {
		if id, ok := src.(int64); ok {
			s.Link = to(ID(id))
		}
		return nil
	})
}

func (r *contacts) Lock(ctx context.Context, id contact.ID) (*contact.Contact, error) {
	var s contact.State
	if err := r.existing(ctx, "contact", contactColumns(&s), selectContacts+forNoKeyUpdate, id); err != nil {
		return nil, err
	}
	r.locked(s)
	return contact.Restore(s), nil
}

func (r *contacts) Add(ctx context.Context, c *contact.Contact) (contact.ID, error) {
	s := c.State()
	ofClient, _ := s.Link.Client()
	ofDeal, _ := s.Link.Deal()
	_, err := r.one(ctx, []any{&s.ID, &s.Version}, `
insert into contacts (
    id, client_id, deal_id, name, name_key, phone, phone_key, mobile, mobile_key, email, email_key, rank, rank_key, updated_at, ref
)
values (coalesce($13, nextval('contacts_id_seq')), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $14, $15)
returning id, version`,
		reference(ofClient), reference(ofDeal), s.Name, textkey.Of(s.Name), missing(s.Phone), key(s.Phone),
		missing(s.Mobile), key(s.Mobile), missing(s.Email), key(s.Email), missing(s.Rank), key(s.Rank), r.newID(), r.meta.At,
		missing(s.Ref))
	if err != nil {
		return 0, err
	}
	r.added(s)
	return s.ID, nil
}

func (r *contacts) Save(_ context.Context, c *contact.Contact) error {
	s := c.State()
	if !r.saved(s) {
		return nil
	}
	ofClient, _ := s.Link.Client()
	ofDeal, _ := s.Link.Deal()
	r.Store(`
update contacts
set
    version = version + 1,
    client_id = $2, deal_id = $3, name = $4, name_key = $5, phone = $6, phone_key = $7,
    mobile = $8, mobile_key = $9, email = $10, email_key = $11, rank = $12, rank_key = $13,
    updated_at = greatest(updated_at, $14), ref = $15
where id = $1`,
		s.ID, reference(ofClient), reference(ofDeal), s.Name, textkey.Of(s.Name), missing(s.Phone), key(s.Phone),
		missing(s.Mobile), key(s.Mobile), missing(s.Email), key(s.Email), missing(s.Rank), key(s.Rank), r.meta.At, missing(s.Ref))
	return nil
}

func (r *contacts) Remove(_ context.Context, c *contact.Contact) error {
	s := c.State()
	r.removed(s)
	r.Writer.Remove("delete from contacts where id = $1", s.ID)
	return nil
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

func (r *contacts) RemoveOf(_ context.Context, link contact.Link) error {
	if id, ok := link.Client(); ok {
		r.Writer.Remove("select from clients where id = $1\nfor update", id) // new contacts wait, and then have no client
		r.Writer.Remove(removeContactsOfClient, id)
		return nil
	}
	id, _ := link.Deal()
	r.Writer.Remove(removeContactsOfDeal, id)
	return nil
}

func (r *contacts) HandOver(_ context.Context, from deal.ID, to client.ID) error {
	r.Store(handOverContacts, from, to, r.meta.At)
	return nil
}
