package pgread

import (
	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewContacts makes the reader of contacts.
//
// Whether a deal has a client is asked in the statement that reads the
// contacts: asked before it, a deal that gains its client in between, and hands
// its contacts over, would seem to have none.
func NewContacts(db Querier) readmodel.Reader[readmodel.ContactFilter] {
	return newReader(db, contacts, func(f readmodel.ContactFilter) sq.And {
		clientID, ofClient := f.ClientID.Get()
		dealID, ofDeal := f.DealID.Get()
		switch {
		case ofClient && ofDeal:
			return sq.And{
				sq.Expr("r.client_id = ?", int64(clientID)),
				sq.Expr("exists (select from deals d where d.id = ? and d.client_id = ?)", int64(dealID), int64(clientID)),
			}
		case ofDeal:
			// A deal that has a client has no contacts of its own.
			return sq.And{sq.Expr(
				"(r.deal_id = ? or r.client_id = (select d.client_id from deals d where d.id = ?))", int64(dealID), int64(dealID))}
		}
		return equals(sq.And{}, "r.client_id", f.ClientID)
	})
}

var contacts = &model{
	resource: readmodel.Contacts,
	table:    "contacts",
	columns: merge(
		map[string]string{
			"id":      "r.id",
			"version": "r.version",
			"name":    "r.name",
			"phone":   "r.phone",
			"mobile":  "r.mobile",
			"email":   "r.email",
			"rank":    "r.rank",
		},
		embeddedClient("client", "c"),
		embeddedDeal("deal", "d"),
	),
	joins: map[string]string{
		"client": "left join clients c on c.id = r.client_id",
		"deal":   "left join deals d on d.id = r.deal_id",
	},
	keys: map[string]string{
		"name":   "r.name_key",
		"phone":  "r.phone_key",
		"mobile": "r.mobile_key",
		"email":  "r.email_key",
		"rank":   "r.rank_key",
	},
}
