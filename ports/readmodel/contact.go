package readmodel

import (
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/optional"
)

// ContactFilter says whose contacts are listed. A client's are those linked to
// it. A deal's are those of its client or, as long as it has none, those linked
// to the deal. Of both, the client's if the deal is one of the client's, else
// none.
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
