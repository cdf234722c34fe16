package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/deal"
)

type deals struct {
	tracker[deal.ID, deal.State]
}

func dealKey(s deal.State) deal.ID { return s.ID }

// lockDeal does not lock the key of the row: a writer that deletes the deal's client or
// status has locked that record, checks the deals that refer to it, and must not
// wait for a writer of the deal that in turn waits for that record. Writers of one
// deal still exclude each other.
var lockDeal = selectDeal + forNoKeyUpdate

const selectDeal = `
select
    id, version, name, coalesce(client_id, 0), user_id, coalesce(type_id, 0), status_id, created_at, updated_at,
    coalesce(ref, '')
from deals
`

func dealColumns(s *deal.State) []any {
	return []any{&s.ID, &s.Version, &s.Name, &s.ClientID, &s.UserID, &s.TypeID, &s.StatusID, &s.CreatedAt, &s.UpdatedAt, &s.Ref}
}

func (r *deals) Lock(ctx context.Context, id deal.ID) (*deal.Deal, error) {
	var s deal.State
	if err := r.existing(ctx, "deal", dealColumns(&s), lockDeal, id); err != nil {
		return nil, err
	}
	r.locked(s)
	return deal.Restore(s), nil
}

func (r *deals) HasInvoices(ctx context.Context, id deal.ID) (has bool, err error) {
	_, err = r.one(ctx, []any{&has}, "select exists (select from invoices where deal_id = $1)", id)
	return has, err
}

func (r *deals) Add(ctx context.Context, d *deal.Deal) (deal.ID, error) {
	s := d.State()
	_, err := r.one(ctx, []any{&s.ID}, `
insert into deals (id, name, name_key, client_id, user_id, type_id, status_id, created_at, updated_at, ref)
values (coalesce($9, nextval('deals_id_seq')), $1, $2, $3, $4, $5, $6, $7, $8, $10)
returning id`,
		s.Name, textkey.Of(s.Name), reference(s.ClientID), s.UserID, reference(s.TypeID), s.StatusID,
		s.CreatedAt, s.UpdatedAt, r.newID(), missing(s.Ref))
	if err != nil {
		return 0, err
	}
	r.added(s)
	return s.ID, nil
}

func (r *deals) Save(_ context.Context, d *deal.Deal) error {
	s := d.State()
	if !r.saved(s) {
		return nil
	}
	r.Store(`
update deals
set
    version = version + 1,
    name = $2, name_key = $3, client_id = $4, user_id = $5, type_id = $6, status_id = $7, updated_at = $8,
    ref = $9
where id = $1`,
		s.ID, s.Name, textkey.Of(s.Name), reference(s.ClientID), s.UserID, reference(s.TypeID), s.StatusID, s.UpdatedAt,
		missing(s.Ref))
	return nil
}

func (r *deals) Remove(_ context.Context, d *deal.Deal) error {
	s := d.State()
	r.removed(s)
	r.Writer.Remove("delete from deal_history where deal_id = $1", s.ID)
	r.removeUnused("delete from deals where id = $1", int64(s.ID),
		referrer{"invoices", "deal_id"}, referrer{"offers", "deal_id"}, referrer{"contracts", "deal_id"})
	return nil
}
