package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewContacts makes the reader of contacts.
//
// Whether a deal has a client is asked in the statement that reads the
// contacts: asked before it, a deal that gains its client in between, and hands
// its contacts over, would seem to have none.
func NewContacts(db Querier) readmodel.Reader[readmodel.ContactFilter] {
	type filter = readmodel.ContactFilter
	return newReader(db, contacts,
		condition[filter]{
			where: "r.client_id = ? and exists (select from deals d where d.id = ? and d.client_id = ?)",
			asked: func(f filter) []any {
				clientID, dealID := one(f.ClientID), one(f.DealID)
				if clientID == nil || dealID == nil {
					return nil
				}
				return []any{clientID[0], dealID[0], clientID[0]}
			},
		},
		condition[filter]{
			// A deal that has a client has no contacts of its own.
			where: "(r.deal_id = ? or r.client_id = (select d.client_id from deals d where d.id = ?))",
			asked: func(f filter) []any {
				dealID := one(f.DealID)
				if dealID == nil || one(f.ClientID) != nil {
					return nil
				}
				return []any{dealID[0], dealID[0]}
			},
		},
		condition[filter]{
			where: "r.client_id = ?",
			asked: func(f filter) []any {
				if one(f.DealID) != nil {
					return nil
				}
				return one(f.ClientID)
			},
		},
	)
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
