// Package billing contains the billing document: what an invoice or a credit note says on paper
// and in an electronic invoice. It is a value; writers turn it into a file and compute nothing.
//
// # Amounts
//
// An invoice has amounts with four fraction digits, a document has cents. New rounds each line to
// the cent and adds up the rounded lines by VAT category and rate; discount and VAT are percentages
// of these sums, rounded to the cent. The amount due is the invoice's amount to pay, rounded to the
// cent, and Rounding is what it differs by from the net amount and the VAT. It is 0 if the invoice
// itself was computed in cents. The amounts of a credit note are what all credit notes so far come
// to in this way, less what the former ones came to, so that those of all its credit notes add up to
// those of an invoice.
//
// A unit price is never negative: a discount has a negative count. The lines, totals and the
// amount due of a credit note have the opposite sign of those of its invoice, so that they are
// positive.
package billing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

// Kind is the kind of a document.
type Kind uint8

// The kinds.
const (
	Invoice Kind = iota
	CreditNote
)

// Standing is whether a document counts.
type Standing uint8

// The standings. That of an issued document stays Valid.
const (
	Valid Standing = iota
	Draft
	Cancelled
)

// Category is the VAT category of lines, in the words of the API.
type Category = performer.VATCategory

// The categories.
const (
	Standard       = performer.Standard
	Zero           = performer.Zero
	Exempt         = performer.Exempt
	ReverseCharge  = performer.ReverseCharge
	Outside        = performer.Outside
	IntraCommunity = performer.IntraCommunity
	Export         = performer.Export
)

// Cents is the number of fraction digits of a document's amounts, other than unit prices.
const Cents = 2

// Document is the printed value of an invoice or a credit note. A missing text is empty, a missing
// date zero.
type Document struct {
	Kind        Kind
	Standing    Standing
	InvoiceID   invoice.ID
	PerformerID performer.ID
	ClientID    client.ID
	Number      string
	Date        time.Time // as package civil has it
	Due         time.Time
	Currency    string // ISO 4217
	// TaxCurrency is the performer's currency, if it is another one; "": it is not.
	TaxCurrency string
	Exchange    money.Quantity // how much one unit of Currency is in TaxCurrency; 0: not known
	Language    string         // of the printed words: en, de, fr, pl or ru
	Notice      string
	Trade       invoice.TradeTerms
	// BuyerReference is what the buyer asks for on its invoices, such as a Leitweg-ID.
	BuyerReference string
	Credits        Reference // the invoice that a credit note is for
	Seller         Party
	Buyer          Party
	Leader         string // of the performer, who signs
	LeaderRank     string
	Booker         string
	Pictures       Pictures
	Account        Account
	BankDetails    string // of the performer, in its own words
	Lines          []Line
	Adjustments    []Adjustment
	VAT            []VAT        // by category and rate, the highest rate first; there is one without lines, too
	Total          money.Amount // sum of the lines
	Net            money.Amount // the sum with the adjustments
	Tax            money.Amount // sum of the VAT
	Gross          money.Amount // net and VAT
	Rounding       money.Amount // what AmountDue and Prepaid exceed Gross by
	Prepaid        money.Amount // before the invoice was issued
	AmountDue      money.Amount // Gross and Rounding, less Prepaid
	Early          EarlyPayment
}

// Party is the seller or the buyer.
type Party struct {
	Name               string // the legal name, or else the record's
	TradingName        string // the record's, if it differs
	Address            string // of the record, in its own words; to be printed if Street and City are missing
	Street             string
	Street2            string
	Zip                string
	City               string
	Region             string
	Country            string // ISO 3166
	VATID              string
	TaxNumber          string
	RegistrationID     string
	RegistrationScheme string
	EndpointID         string // the electronic address
	EndpointScheme     string
	ContactName        string
	ContactPhone       string
	ContactEmail       string
	ID                 string // that the other party knows this one by
	IDScheme           string // of ISO 6523
	LegalText          string // of the seller
}

// Pictures are the SHA-256 digests of the seller's pictures, in hexadecimal digits; "" for none.
type Pictures struct {
	Logo, Stamp, LeaderSignature, BookerSignature string
}

// PicturesOf returns the pictures whose digests are those of their kinds.
func PicturesOf(digest func(kind performer.PictureKind) string) Pictures {
	return Pictures{
		Logo: digest(performer.Logo), Stamp: digest(performer.Stamp),
		LeaderSignature: digest(performer.LeaderSignature), BookerSignature: digest(performer.BookerSignature),
	}
}

// Account is the bank account that the amount due is to be paid to. Without an ID it is not known.
type Account struct {
	Holder string
	IBAN   string
	BIC    string
	Number string // where there is no IBAN
}

// ID returns the IBAN, or the number where there is none.
func (a Account) ID() string { return cmp.Or(a.IBAN, a.Number) }

// EarlyPayment is the discount for early payment. Without a percentage there is none.
type EarlyPayment struct {
	Percent money.Percent
	Until   time.Time    // the last day, as package civil has it
	Amount  money.Amount // what is due until then
}

// Reference names another document.
type Reference struct {
	Number string
	Date   time.Time
}

// Line is a line of a document.
type Line struct {
	ID       invoice.LineID // zero if the line is not stored
	Name     string
	Unit     string         // as the invoice has it
	UnitCode string         // of UN/ECE Recommendation 20; empty if the unit has none
	Count    money.Quantity // negative for returns and discounts
	Price    money.Amount   // never negative
	// BaseCount is how many units the price is for; 0: for one.
	BaseCount   money.Quantity
	Adjustments []Adjustment // count times price and they add up to the total
	Total       money.Amount // in cents
	VAT         invoice.Rate // one of those in the VAT of the document
	Item        invoice.Item
}

// Gross returns count times price, in cents.
func (l Line) Gross() money.Amount {
	gross := l.Count.Times(l.Price)
	if !l.BaseCount.IsZero() {
		gross = gross.Per(l.BaseCount)
	}
	return gross.RoundTo(Cents)
}

// VAT is the VAT breakdown of a document for a category and a rate.
type VAT struct {
	invoice.Rate
	Reason     string // why no VAT is charged
	ReasonCode string // the same as a code of the list VATEX, if the performer has one
	Taxable    money.Amount
	Amount     money.Amount
}

// ExemptionCode returns the code of the reason why no VAT is charged: that of the performer, or else of the category; empty if neither
// has one, or if VAT is charged.
func (v VAT) ExemptionCode() string {
	if v.Category.IsCharged() {
		return ""
	}
	return cmp.Or(v.ReasonCode, v.Category.ReasonCode())
}

// IsOutside reports whether the document is outside the scope of VAT, so that no VAT ids are shown.
func (d *Document) IsOutside() bool {
	return slices.ContainsFunc(d.VAT, func(v VAT) bool { return v.Category == Outside })
}

// HasDeliveryAddress reports whether the document says where it was delivered to, which takes a country.
func (d *Document) HasDeliveryAddress() bool {
	t := d.Trade
	return t.DeliveryStreet != "" || t.DeliveryZip != "" || t.DeliveryCity != "" || t.DeliveryCountry != ""
}

// PaymentTermsIn returns the payment terms in the form, with the discount for early payment behind them: in XRechnung for machines, in
// others as a sentence, which is given.
func (d *Document) PaymentTermsIn(f Form, sentence string) string {
	e := d.Early
	if e.Percent.IsZero() {
		return d.Trade.PaymentTerms
	}
	if f == XRechnung || f == XRechnungCII {
		const day = 24 * time.Hour
		sentence = fmt.Sprintf("#SKONTO#TAGE=%d#PROZENT=%s#", e.Until.Sub(d.Date.Truncate(day))/day, e.Percent)
	}
	return strings.TrimPrefix(d.Trade.PaymentTerms+"\n"+sentence, "\n")
}

// PaymentTerms returns the payment terms, with a line break behind a discount for early payment at their end, which XRechnung requires.
func (d *Document) PaymentTerms() string {
	if strings.HasSuffix(d.Trade.PaymentTerms, "#") {
		return d.Trade.PaymentTerms + "\n"
	}
	return d.Trade.PaymentTerms
}

// Remittance returns what to write on the transfer.
func (d *Document) Remittance() string { return cmp.Or(d.Trade.Remittance, d.Number) }

// TaxInOwnCurrency returns the VAT in the performer's currency.
func (d *Document) TaxInOwnCurrency() money.Amount { return d.Exchange.Times(d.Tax).RoundTo(Cents) }

// IsMixed reports whether lines have different VAT.
func (d *Document) IsMixed() bool { return len(d.VAT) > 1 }
