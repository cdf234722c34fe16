package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
)

type contacts struct {
	tracker[contact.ID, contact.State]
}

func contactKey(s contact.State) contact.ID { return s.ID }
func sameContact(a, b contact.State) bool   { return a == b }

const selectContact = `
select
    id, version, coalesce(client_id, 0), coalesce(deal_id, 0), name,
    coalesce(phone, ''), coalesce(mobile, ''), coalesce(email, ''), coalesce(rank, '')
from contacts
`

func (r *contacts) Lock(ctx context.Context, id contact.ID) (*contact.Contact, error) {
	found, err := r.lock(ctx, selectContact+"where id = $1\nfor update", id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, noSuch("contact")
	}
	return found[0], nil
}

func (r *contacts) LockOf(ctx context.Context, link contact.Link) ([]*contact.Contact, error) {
	if id, ok := link.Client(); ok {
		return r.lock(ctx, selectContact+"where client_id = $1\norder by id\nfor update", id)
	}
	id, _ := link.Deal()
	return r.lock(ctx, selectContact+"where deal_id = $1\norder by id\nfor update", id)
}

func (r *contacts) lock(ctx context.Context, sql string, id any) (found []*contact.Contact, err error) {
	err = r.query(ctx, func(rows pgx.Rows) error {
		for rows.Next() {
			s, err := contactFrom(rows)
			if err != nil {
				return err
			}
			r.locked(s)
			found = append(found, contact.Restore(s))
		}
		return nil
	}, sql, id)
	return found, err
}

func contactFrom(rows pgx.Rows) (s contact.State, err error) {
	var ofClient client.ID
	var ofDeal deal.ID
	err = rows.Scan(&s.ID, &s.Version, &ofClient, &ofDeal, &s.Name, &s.Phone, &s.Mobile, &s.Email, &s.Rank)
	s.Link = contact.ToClient(ofClient)
	if ofDeal != 0 {
		s.Link = contact.ToDeal(ofDeal)
	}
	return s, err
}

func (r *contacts) Add(ctx context.Context, c *contact.Contact) (contact.ID, error) {
	s := c.State()
	ofClient, _ := s.Link.Client()
	ofDeal, _ := s.Link.Deal()
	_, err := r.one(ctx, []any{&s.ID, &s.Version}, `
insert into contacts (
    client_id, deal_id, name, name_key, phone, phone_key, mobile, mobile_key, email, email_key, rank, rank_key
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
returning id, version`,
		reference(ofClient), reference(ofDeal), s.Name, textkey.Of(s.Name), missing(s.Phone), key(s.Phone),
		missing(s.Mobile), key(s.Mobile), missing(s.Email), key(s.Email), missing(s.Rank), key(s.Rank))
	if err != nil {
		return 0, err
	}
	r.added(s)
	return s.ID, nil
}

func (r *contacts) Save(_ context.Context, c *contact.Contact) error {
	s := c.State()
	if _, changed := r.saved(s); !changed {
		return nil
	}
	ofClient, _ := s.Link.Client()
	ofDeal, _ := s.Link.Deal()
	r.Store(`
update contacts
set
    version = version + 1,
    client_id = $2, deal_id = $3, name = $4, name_key = $5, phone = $6, phone_key = $7,
    mobile = $8, mobile_key = $9, email = $10, email_key = $11, rank = $12, rank_key = $13
where id = $1`,
		s.ID, reference(ofClient), reference(ofDeal), s.Name, textkey.Of(s.Name), missing(s.Phone), key(s.Phone),
		missing(s.Mobile), key(s.Mobile), missing(s.Email), key(s.Email), missing(s.Rank), key(s.Rank))
	return nil
}

func (r *contacts) Remove(_ context.Context, c *contact.Contact) error {
	s := c.State()
	r.removed(s)
	r.Writer.Remove("delete from contacts where id = $1", s.ID)
	return nil
}
