package readmodel

import (
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/user"
)

// ClientFilter filters a list of clients. Absent criteria match every client; several ids match any of them.
type ClientFilter struct {
	IDs     []client.ID
	UserIDs []user.ID
	Type    domain.Optional[client.Type]
	Name    string // substring of the name, ignoring case
	Search  string // another substring of the name; both must match
	Email   string // complete address, ignoring case
	Ref     string

	UpdatedSince Instant
}

// Clients has the attributes of clients.
var Clients = &Resource{
	Name:          "client",
	Expansions:    []string{"user"},
	DefaultSort:   "created_at",
	PerPage:       10,
	Discriminator: "type",
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "user", Kind: ID, Refers: "user", Sort: Ascending, Until: "user"},
		{Name: "user_id", Kind: ID, Refers: "user", With: "user"},
		{Name: "user", Kind: Object, Refers: "user", With: "user", Of: embeddedUser, As: "UserSummary"},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "type", Kind: Integer, Sort: Ascending},
		{Name: "email", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "phone", Kind: Text, Sort: Ascending, Optional: true},
		{Name: "real_address", Kind: Text, Optional: true},
		{Name: "description", Kind: Text, Optional: true},
		{Name: "company_address", Kind: Text, Only: "1", Optional: true},
		{Name: "bank_details", Kind: Text, Only: "1", Optional: true},
		{Name: "person_details", Kind: Text, Only: "2", Optional: true},
		{Name: "created_at", Kind: Time, Sort: NewestFirst},
		{Name: "updated_at", Kind: Time, Sort: Ascending},
		{Name: "count_deals", Kind: Integer, OnRequest: true},
		{Name: "count_offers", Kind: Integer, OnRequest: true},
		{Name: "count_contracts", Kind: Integer, OnRequest: true},
		{Name: "count_invoices", Kind: Integer, OnRequest: true},
		{Name: "erased_on", Kind: Time, Optional: true},
		{Name: "ref", Kind: Text, Optional: true},
	},
}

var embeddedUser = []Attribute{
	{Name: "id", Kind: ID},
	{Name: "username", Kind: Text},
	{Name: "fname", Kind: Text, Optional: true},
	{Name: "lname", Kind: Text, Optional: true},
	{Name: "email", Kind: Text, Optional: true},
}
