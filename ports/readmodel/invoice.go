package readmodel

import (
	"slices"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
)

// InvoiceFilter filters a list of invoices. Absent criteria match every invoice; several
// ids match any of them. The parts of a date are independent: a month without a year matches that
// month of every year.
type InvoiceFilter struct {
	Number    string // substring of the number, ignoring case
	Company   string // substring of the client's name, ignoring case
	IDs       []invoice.ID
	ClientIDs []client.ID
	DealID    domain.Optional[deal.ID]
	UserIDs   []user.ID
	TypeIDs   []catalog.InvoiceTypeID
	Statuses  []invoice.Status
	Year      domain.Optional[int] // of the invoice's date
	Month     domain.Optional[int] // 1 to 12
	PaidYear  domain.Optional[int] // of the payment, in the service's zone
	PaidMonth domain.Optional[int] // 1 to 12
	// The first and the last day of the invoice's date, and of the payment in the service's zone.
	DateFrom, DateTo Date
	PaidFrom, PaidTo Date
	Ref              string

	UpdatedSince Instant

	Credits []invoice.ID // credit notes for these; 0: invoices that are none

	// The last two leave out drafts, credit notes and cancelled invoices.
	Due       bool // something is due, or to be paid back
	Overdue   bool // not paid, and due before today, in the service's zone
	DueFrom   Date
	DueBefore Date
}

// Invoices has the attributes of invoices.
var Invoices = &Resource{
	Name: "invoice",
	Expansions: []string{
		"company", "manager", "status", "items", "deal", "performer", "type", "vat", "terms", "adjustments", "payments",
	},
	DefaultExpansion: []string{"company", "manager", "status"},
	DefaultSort:      "created_on",
	PerPage:          20,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "user_id", Kind: ID, Refers: "user", Sort: Ascending},
		{Name: "paid", Kind: Bool, Sort: Ascending},
		{Name: "closed", Kind: Bool, Sort: Ascending},
		{Name: "number", Kind: Text, Sort: Ascending},
		{Name: "date", Kind: Time, Sort: Ascending},
		{Name: "due_date", Kind: Day, Sort: Ascending, Optional: true},
		{Name: "discount_percent_early", Kind: Percent, Optional: true},
		{Name: "discount_until", Kind: Day, Optional: true},
		{Name: "notice", Kind: Text, Optional: true},
		{Name: "deal_id", Kind: ID, Refers: "deal", Sort: Ascending},
		{Name: "discount_percent", Kind: Percent},
		{Name: "currency", Kind: Text, Optional: true},
		{Name: "exchange_rate", Kind: Quantity, Optional: true},
		{Name: "total_count", Kind: Integer, Sort: Ascending},
		{Name: "total_price", Kind: Money, Sort: Ascending},
		{Name: "vat_price", Kind: Money, Sort: Ascending},
		{Name: "pay_price", Kind: Money, Sort: Ascending},
		{Name: "paid_price", Kind: Money},
		{Name: "waived_price", Kind: Money},
		{Name: "due_price", Kind: Money},
		{Name: "created_on", Kind: Time, Sort: NewestFirst},
		{Name: "paid_on", Kind: Time, Sort: Ascending, Optional: true},
		{Name: "issued_on", Kind: Time, Sort: Ascending, Optional: true},
		{Name: "credits", Kind: ID, Refers: "invoice", Sort: Ascending, Optional: true},
		{Name: "updated_on", Kind: Time, Sort: Ascending},
		{Name: "update_on", Kind: Time, Sort: Ascending},
		{Name: "performer", Kind: Object, Refers: "performer", Of: Performers.Attributes, As: "Performer", IDName: "performer_id"},
		{Name: "type", Kind: Object, Refers: "invoice-type", Of: embeddedLabel, As: "Label", IDName: "type_id"},
		{Name: "company", Kind: Object, Refers: "client", With: "company", Of: embeddedClient, As: "ClientSummary", IDName: "client_id"},
		{Name: "manager", Kind: Object, Refers: "user", With: "manager", Of: embeddedUser, As: "UserSummary"},
		{Name: "status", Kind: Object, With: "status", Of: embeddedLabel, As: "Label", IDName: "status_id"},
		{Name: "items", Kind: List, With: "items", Of: InvoiceItems.Attributes, As: "InvoiceItem"},
		{Name: "deal", Kind: Object, Refers: "deal", With: "deal", Of: embeddedDeal, As: "DealSummary"},
		{Name: "terms", Kind: Object, With: "terms", Of: tradeTerms, As: "InvoiceTerms", IsWhole: true},
		{Name: "adjustments", Kind: List, With: "adjustments", Of: invoiceAdjustments, As: "InvoiceAdjustment"},
		{Name: "vat", Kind: List, With: "vat", Of: invoiceVAT, As: "InvoiceVAT"},
		{Name: "payments", Kind: List, With: "payments", Of: invoicePayments, As: "InvoicePayment"},
		{Name: "ref", Kind: Text, Optional: true},
	},
}

// tradeTerms are what documents say of an order and its delivery.
var tradeTerms = []Attribute{
	{Name: "delivery_date", Kind: Day, Optional: true},
	{Name: "period_from", Kind: Day, Optional: true},
	{Name: "period_to", Kind: Day, Optional: true},
	{Name: "delivery_name", Kind: Text, Optional: true},
	{Name: "delivery_street", Kind: Text, Optional: true},
	{Name: "delivery_zip", Kind: Text, Optional: true},
	{Name: "delivery_city", Kind: Text, Optional: true},
	{Name: "delivery_country", Kind: Text, Optional: true},
	{Name: "order_reference", Kind: Text, Optional: true},
	{Name: "sales_order", Kind: Text, Optional: true},
	{Name: "contract", Kind: Text, Optional: true},
	{Name: "project", Kind: Text, Optional: true},
	{Name: "buyer_reference", Kind: Text, Optional: true},
	{Name: "payment_terms", Kind: Text, Optional: true},
	{Name: "remittance", Kind: Text, Optional: true},
	{Name: "payment_means", Kind: Text, Optional: true},
	{Name: "payment_means_text", Kind: Text, Optional: true},
	{Name: "card_number", Kind: Text, Optional: true},
	{Name: "card_holder", Kind: Text, Optional: true},
	{Name: "mandate", Kind: Text, Optional: true},
	{Name: "creditor_id", Kind: Text, Optional: true},
	{Name: "debited_iban", Kind: Text, Optional: true},
	{Name: "notes", Kind: List, Of: termsNotes, As: "InvoiceNote"},
}

// termsNotes are the notes among the terms.
var termsNotes = []Attribute{
	{Name: "text", Kind: Text},
	{Name: "subject_code", Kind: Text, Optional: true},
}

// lineAdjustments are allowances and charges of a line.
var lineAdjustments = []Attribute{
	{Name: "reason", Kind: Text},
	{Name: "percent", Kind: Decimal, Optional: true},
	{Name: "amount", Kind: Money},
}

// invoiceAdjustments are allowances and charges of an invoice.
var invoiceAdjustments = append(slices.Clone(lineAdjustments),
	Attribute{Name: "vat_category", Kind: Text, Optional: true},
	Attribute{Name: "vat_percent", Kind: Percent, Optional: true},
)

// invoiceVAT is what the lines with a VAT category and rate come to.
var invoiceVAT = []Attribute{
	{Name: "vat_percent", Kind: Percent},
	{Name: "vat_category", Kind: Text},
	{Name: "total_price", Kind: Money},
	{Name: "vat_price", Kind: Money},
}

// invoicePayments are what payments settle of an invoice.
var invoicePayments = []Attribute{
	{Name: "id", Kind: ID, Refers: "payment"},
	{Name: "date", Kind: Day},
	{Name: "amount", Kind: Money},
	{Name: "waived", Kind: Money},
	{Name: "reason", Kind: Text, Optional: true},
	{Name: "automatic", Kind: Bool},
}

// InvoiceItemFilter filters a list of invoice lines.
type InvoiceItemFilter struct {
	InvoiceID domain.Optional[invoice.ID]
	Name      string // substring of the name, ignoring case
}

// InvoiceItems has the attributes of invoice lines.
var InvoiceItems = &Resource{
	Name:        "invoice item",
	DefaultSort: "id",
	PerPage:     20,
	Attributes: []Attribute{
		{Name: "id", Kind: ID, Sort: Ascending},
		{Name: "invoice_id", Kind: ID, Refers: "invoice", Sort: Ascending},
		{Name: "name", Kind: Text, Sort: Ascending},
		{Name: "units", Kind: Text, Optional: true},
		{Name: "count", Kind: Quantity, Sort: Ascending},
		{Name: "price", Kind: Money, Sort: Ascending},
		{Name: "base_count", Kind: Quantity, Optional: true},
		{Name: "discount_percent", Kind: Percent},
		{Name: "adjustments", Kind: List, Of: lineAdjustments, As: "LineAdjustment"},
		{Name: "vat_category", Kind: Text, Optional: true},
		{Name: "vat_percent", Kind: Percent, Optional: true},
		{Name: "total_price", Kind: Money, Sort: Ascending},
		{Name: "description", Kind: Text, Optional: true},
		{Name: "item_number", Kind: Text, Optional: true},
		{Name: "buyer_item_number", Kind: Text, Optional: true},
		{Name: "gtin", Kind: Text, Optional: true},
		{Name: "note", Kind: Text, Optional: true},
		{Name: "period_from", Kind: Day, Optional: true},
		{Name: "period_to", Kind: Day, Optional: true},
	},
}
