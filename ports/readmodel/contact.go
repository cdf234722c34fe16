package readmodel

import (
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/optional"
)

// ContactFilter filters a list of contacts. Those of a client are linked to it. Those of
// a deal are linked to its client or, if it has none, to the deal. With both criteria,
// they are those of the client if the deal belongs to it, else none.
type ContactFilter struct {
	ClientID optional.Of[client.ID]
	DealID   optional.Of[deal.ID]
}

// Contacts is the table of contacts.
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
		{Name: "rank", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "client", Kind: Object, With: "client", Of: embeddedClient, As: "ClientSummary", Optional: true},
		{Name: "deal", Kind: Object, With: "deal", Of: embeddedDeal, As: "DealSummary", Optional: true},
	},
}
