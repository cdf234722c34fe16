package pgread

import (
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewContacts returns the reader of contacts.
//
// One statement finds out whether a deal has a client and reads the contacts. Two
// statements would find no contacts if the deal gained its client, and handed over
// its contacts, between them.
func NewContacts(db Querier) readmodel.Reader[readmodel.ContactFilter] {
	type asked = readmodel.ContactFilter
	return newReader(db, contacts,
		filter[asked]{
			condition{where: "r.client_id = any(?)"},
			func(f asked) []any { return numberList(f.ClientIDs) },
		},
		filter[asked]{
			condition{where: "exists (select from deals d where d.id = ? and d.client_id = r.client_id)"},
			func(f asked) []any {
				if f.ClientIDs == nil {
					return nil
				}
				return number(f.DealID)
			},
		},
		filter[asked]{
			// A deal that has a client has no contacts of its own.
			condition{where: "(r.deal_id = ? or r.client_id = (select d.client_id from deals d where d.id = ?))"},
			func(f asked) []any {
				deal := number(f.DealID)
				if f.ClientIDs != nil || deal == nil {
					return nil
				}
				return []any{deal[0], deal[0]}
			},
		},
		withID(func(f asked) []contact.ID { return f.IDs }),
		withRef(func(f asked) string { return f.Ref }),
		updatedSince("updated_at", func(f asked) readmodel.Instant { return f.UpdatedSince }),
	)
}

var contacts = mapped(mapping{
	resource: readmodel.Contacts,
	table:    "contacts",
	columns:  map[string]string{"deal.user": "d.user_id"},
	joins: map[string]join{
		"client.": {"c", "left join clients c on c.id = r.client_id"},
		"deal.":   {"d", "left join deals d on d.id = r.deal_id"},
	},
})
