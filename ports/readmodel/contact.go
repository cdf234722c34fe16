package readmodel

import (
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
)

// ContactFilter filters a list of contacts. The contacts of a client are those linked to
// it. The contacts of a deal are those of its client or, if it has none, those linked to
// the deal. With both criteria, the list has the contacts of the client if the deal
// belongs to it, and is empty otherwise. Several ids match any of them.
type ContactFilter struct {
	IDs       []contact.ID
	ClientIDs []client.ID
	DealID    domain.Optional[deal.ID]
	Ref       string

	UpdatedSince Instant
}

// Contacts has the attributes of contacts.
var Contacts = &Resource{
	Name:           "contact",
	Expansions:     []string{"client", "deal"},
	DefaultSort:    "id",
	PerPage:        20,
	PagedOnRequest: true,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "phone", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "mobile", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "email", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "rank", Kind: Text, Optional: true},
		{
			Name: "client", Kind: Object, Refers: "client", IDName: "client_id",
			With: "client", Of: embeddedClient, As: "ClientSummary", Optional: true,
		},
		{Name: "deal", Kind: Object, Refers: "deal", With: "deal", Of: embeddedDeal, As: "DealSummary", IDName: "deal_id", Optional: true},
		{Name: "ref", Kind: Text, Optional: true},
	},
}
