package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/party"
)

type clients struct {
	tracker[client.ID, client.State]
}

func clientKey(s client.State) client.ID { return s.ID }

const selectClient = `
select
    id, version, user_id, type, name,
    coalesce(email, ''), coalesce(phone, ''), coalesce(real_address, ''), coalesce(description, ''),
    coalesce(company_address, ''), coalesce(bank_details, ''), coalesce(person_details, ''),
    created_at, updated_at, coalesce(ref, '')
from clients
`

func clientColumns(s *client.State) []any {
	return []any{
		&s.ID, &s.Version, &s.UserID, &s.Type, &s.Name,
		&s.Email, &s.Phone, &s.RealAddress, &s.Description,
		&s.CompanyAddress, &s.BankDetails, &s.PersonDetails,
		&s.CreatedAt, &s.UpdatedAt, &s.Ref,
	}
}

func (r *clients) Lock(ctx context.Context, id client.ID) (*client.Client, error) {
	var s client.State
	if err := r.existing(ctx, "client", clientColumns(&s), selectClient+forNoKeyUpdate, id); err != nil {
		return nil, err
	}
	r.locked(s)
	return client.Restore(s), nil
}

func (r *clients) Add(ctx context.Context, c *client.Client) (client.ID, error) {
	s := c.State()
	_, err := r.one(ctx, []any{&s.ID}, `
insert into clients (
    id, user_id, type, name, name_key, email, email_key, phone, phone_key,
    real_address, real_address_key, description, description_key,
    company_address, bank_details, person_details, created_at, updated_at, ref
)
values (coalesce($18, nextval('clients_id_seq')), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $19)
returning id`,
		s.UserID, s.Type, s.Name, textkey.Of(s.Name), missing(s.Email), key(s.Email), missing(s.Phone), key(s.Phone),
		missing(s.RealAddress), key(s.RealAddress), missing(s.Description), key(s.Description),
		missing(s.CompanyAddress), missing(s.BankDetails), missing(s.PersonDetails), s.CreatedAt, s.UpdatedAt, r.newID(),
		missing(s.Ref))
	if err != nil {
		return 0, err
	}
	r.added(s)
	return s.ID, nil
}

func (r *clients) Save(_ context.Context, c *client.Client) error {
	s := c.State()
	if !r.saved(s) {
		return nil
	}
	r.Store(`
update clients
set
    version = version + 1,
    user_id = $2, name = $3, name_key = $4, email = $5, email_key = $6, phone = $7, phone_key = $8,
    real_address = $9, real_address_key = $10, description = $11, description_key = $12,
    company_address = $13, bank_details = $14, person_details = $15, updated_at = $16, ref = $17
where id = $1`,
		s.ID, s.UserID, s.Name, textkey.Of(s.Name), missing(s.Email), key(s.Email), missing(s.Phone), key(s.Phone),
		missing(s.RealAddress), key(s.RealAddress), missing(s.Description), key(s.Description),
		missing(s.CompanyAddress), missing(s.BankDetails), missing(s.PersonDetails), s.UpdatedAt, missing(s.Ref))
	return nil
}

func (r *clients) Remove(_ context.Context, c *client.Client) error {
	s := c.State()
	r.removed(s)
	r.removeParty(party.Owner{Client: s.ID})
	r.removeUnused("delete from clients where id = $1", int64(s.ID), referrer{"deals", "client_id"}, referrer{"invoices", "client_id"})
	return nil
}
