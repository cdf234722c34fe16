package pgstore

import (
	"context"

	"github.com/kontor-crm/kontor/domain/deal"
)

var deals = kept("deals", table[deal.ID, *deal.Deal, deal.State]{
	what: "deal", restore: deal.Restore, same: same[deal.State],
	key: func(s *deal.State) (*deal.ID, *int64) { return &s.ID, &s.Version },
	removing: func(u *unit, s deal.State) {
		u.Remove("delete from deal_history where deal_id = $1", s.ID)
	},
	referrers: []referrer{{"invoices", "deal_id"}, {"offers", "deal_id"}, {"contracts", "deal_id"}},
}, func(c *columns, s *deal.State) {
	title(c, "name", &s.Name)
	referenceTo(c, "client_id", &s.ClientID)
	value(c, "user_id", &s.UserID)
	referenceTo(c, "type_id", &s.TypeID)
	value(c, "status_id", &s.StatusID)
	value(c, "created_at", &s.CreatedAt)
	value(c, "updated_at", &s.UpdatedAt)
	text(c, "ref", &s.Ref)
})

// lockDeal does not lock the key of the row: a writer that deletes the deal's client or
// status has locked that record, checks the deals that refer to it, and must not
// wait for a writer of the deal that in turn waits for that record. Writers of one
// deal still exclude each other.
var lockDeal = deals.selects + forNoKeyUpdate

type dealStore struct {
	*records[deal.ID, *deal.Deal, deal.State]
}

func (r dealStore) HasInvoices(ctx context.Context, id deal.ID) (has bool, err error) {
	_, err = r.one(ctx, []any{&has}, "select exists (select from invoices where deal_id = $1)", id)
	return has, err
}
