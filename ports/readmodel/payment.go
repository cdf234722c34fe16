package readmodel

import (
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
)

// PaymentFilter filters a list of payments. Absent criteria match every payment; several ids match any of them.
type PaymentFilter struct {
	IDs          []payment.ID
	ClientIDs    []client.ID
	InvoiceIDs   []invoice.ID
	PerformerIDs []performer.ID
	DateFrom     Date
	DateTo       Date
	Method       string
	Reference    string
	Left         bool // something is left
	Ref          string

	UpdatedSince Instant
}

// Payments has the attributes of payments.
var Payments = &Resource{
	Name:             "payment",
	Expansions:       []string{"items"},
	DefaultExpansion: []string{"items"},
	DefaultSort:      "created_on",
	PerPage:          20,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "performer_id", Kind: ID, Refers: "performer", Sort: Ascending},
		{Name: "client_id", Kind: ID, Refers: "client", Sort: Ascending, Optional: true},
		{Name: "date", Kind: Day, Sort: Ascending},
		{Name: "amount", Kind: Money, Sort: Ascending},
		{Name: "left", Kind: Money, Sort: Ascending},
		{Name: "automatic", Kind: Bool, Sort: Ascending},
		{Name: "method", Kind: Text, Optional: true},
		{Name: "reference", Kind: Text, Optional: true},
		{Name: "notice", Kind: Text, Optional: true},
		{Name: "created_on", Kind: Time, Sort: NewestFirst},
		{Name: "updated_on", Kind: Time, Sort: Ascending},
		{Name: "items", Kind: List, With: "items", Of: paymentItems, As: "PaymentItem"},
		{Name: "ref", Kind: Text, Optional: true},
	},
}

var paymentItems = []Attribute{
	{Name: "id", Kind: ID},
	{Name: "invoice_id", Kind: ID, Refers: "invoice"},
	{Name: "amount", Kind: Money},
	{Name: "waived", Kind: Money},
	{Name: "reason", Kind: Text, Optional: true},
}
