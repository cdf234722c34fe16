package readmodel

import (
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/user"
)

// DealFilter filters a list of deals. Absent criteria match every deal; several ids match any of them.
type DealFilter struct {
	IDs       []deal.ID
	ClientIDs []client.ID
	UserIDs   []user.ID
	StatusIDs []catalog.StatusID
	TypeIDs   []catalog.DealTypeID
	Name      string // substring of the name, ignoring case
	Ref       string

	UpdatedSince Instant
}

// Deals has the attributes of deals.
var Deals = &Resource{
	Name:        "deal",
	Expansions:  []string{"client", "user", "type", "status"},
	DefaultSort: "created_at",
	PerPage:     20,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "client_id", Kind: ID, Refers: "client", Sort: Ascending, Optional: true},
		{Name: "user", Kind: ID, Refers: "user", Sort: Ascending, Until: "user"},
		{Name: "user_id", Kind: ID, Refers: "user", With: "user"},
		{Name: "user", Kind: Object, Refers: "user", With: "user", Of: embeddedUser, As: "UserSummary"},
		{Name: "type_id", Kind: ID, Refers: "deal-type", Sort: Ascending, Optional: true},
		{Name: "status_id", Kind: ID, Refers: "status", Sort: Ascending},
		{Name: "created_at", Kind: Time, Sort: NewestFirst},
		{Name: "updated_at", Kind: Time, Sort: Ascending},
		{Name: "client", Kind: Object, Refers: "client", With: "client", Of: embeddedClient, As: "ClientSummary", Optional: true},
		{Name: "type", Kind: Object, Refers: "deal-type", With: "type", Of: embeddedLabel, As: "Label", Optional: true},
		{Name: "status", Kind: Object, Refers: "status", With: "status", Of: embeddedStatus, As: "Status"},
		{Name: "ref", Kind: Text, Optional: true},
	},
}

var embeddedDeal = []Attribute{
	{Name: "id", Kind: ID},
	{Name: "name", Kind: Text},
	{Name: "client_id", Kind: ID, Refers: "client", Optional: true},
	{Name: "user", Kind: ID, Refers: "user"},
	{Name: "type_id", Kind: ID, Refers: "deal-type", Optional: true},
	{Name: "status_id", Kind: ID, Refers: "status"},
	{Name: "created_at", Kind: Time},
	{Name: "updated_at", Kind: Time},
}

var embeddedClient = []Attribute{
	{Name: "id", Kind: ID},
	{Name: "name", Kind: Text},
	{Name: "type", Kind: Integer},
	{Name: "email", Kind: Text, Optional: true},
	{Name: "phone", Kind: Text, Optional: true},
}

var embeddedStatus = []Attribute{
	{Name: "id", Kind: ID},
	{Name: "name", Kind: Text},
	{Name: "default", Kind: Bool},
	{Name: "color", Kind: Text, Optional: true},
}

// embeddedLabel is a type of deals or invoices nested in another
// record.
var embeddedLabel = []Attribute{
	{Name: "id", Kind: ID},
	{Name: "name", Kind: Text},
}

// DealHistoryFilter filters a list of history entries by deal.
type DealHistoryFilter struct {
	DealID deal.ID
}

// DealHistory has the attributes of entries of the deal history.
var DealHistory = &Resource{
	Name:           "entry in the history of a deal",
	DefaultSort:    "id",
	PerPage:        20,
	PagedOnRequest: true,
	Expansions:     []string{"cause"},
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "status_id", Kind: ID, Refers: "status", Sort: Ascending},
		{Name: "invoice_id", Kind: ID, Refers: "invoice", Sort: Ascending, Optional: true},
		{Name: "user_id", Kind: ID, Refers: "user", Sort: Ascending},
		{Name: "created_on", Kind: Time, Sort: Ascending},
		{Name: "cause", Kind: Text, Optional: true, With: "cause"},
	},
}
