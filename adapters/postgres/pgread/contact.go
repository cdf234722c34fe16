package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewContacts returns the reader of contacts.
//
// One statement finds out whether a deal has a client and reads the contacts. Two
// statements would find no contacts if the deal gained its client, and handed over
// its contacts, between them.
func NewContacts(db Querier) readmodel.Reader[readmodel.ContactFilter] {
	type asked = readmodel.ContactFilter
	return newReader(db, contacts,
		filter[asked]{
			params: []string{"shared_client_id", "shared_deal_id"},
			values: func(f asked, into []any) bool {
				isClient, isDeal := set(into[:1], f.ClientID), set(into[1:], f.DealID)
				return isClient && isDeal
			},
			where: "r.client_id = :shared_client_id and exists (select from deals d where d.id = :shared_deal_id and d.client_id = :shared_client_id)",
		},
		filter[asked]{
			params: []string{"deal_id"},
			values: func(f asked, into []any) bool {
				_, isOfClient := f.ClientID.Get()
				return set(into, f.DealID) && !isOfClient
			},
			// A deal that has a client has no contacts of its own.
			where: "(r.deal_id = :deal_id or r.client_id = (select d.client_id from deals d where d.id = :deal_id))",
		},
		filter[asked]{
			params: []string{"client_id"},
			values: func(f asked, into []any) bool {
				_, isOfDeal := f.DealID.Get()
				return set(into, f.ClientID) && !isOfDeal
			},
			where: "r.client_id = :client_id",
		},
	)
}

var contacts = &mapping{
	resource: readmodel.Contacts,
	table:    "contacts",
	columns: merge(
		own("id", "version", "name", "phone", "mobile", "email", "rank"),
		embeddedClient("client", "c"),
		embeddedDeal("deal", "d"),
	),
	joins: map[string]string{
		"client": "left join clients c on c.id = r.client_id",
		"deal":   "left join deals d on d.id = r.deal_id",
	},
	keys: sortKeys("name", "phone", "mobile", "email", "rank"),
}
