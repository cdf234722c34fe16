// Package party contains the party: the legal and postal data of a performer or a client, which
// its invoices are printed with, beside its record; and the terms of trade that new invoices have from it.
//
// Chose: codes of countries are those of golang.org/x/text. Because: it has the list, and the program contains it anyway.
// Costs: a new code waits for the next version of it. Its currencies are not used: they are those of another decade.
package party

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/text"
)

// Owner is the record that a party belongs to: a performer or a client. One of the ids is zero.
type Owner struct {
	Performer performer.ID
	Client    client.ID
}

// State has the attributes of a party. A missing text is empty. States can be compared with ==.
type State struct {
	Version            int64 // the store's; zero: there is no party
	LegalName          string
	Street             string
	Street2            string
	Zip                string
	City               string
	Region             string
	Country            string // ISO 3166, two letters
	VATID              string // with the country, without separators
	TaxNumber          string
	RegistrationID     string // in a register of companies
	RegistrationScheme string // ISO 6523
	IBAN               string // without spaces
	BIC                string
	ContactName        string
	ContactPhone       string
	ContactEmail       string
	EndpointID         string // the electronic address
	EndpointScheme     string // of the code list EAS
	BuyerReference     string
	PaymentDays        domain.Optional[int32]
	DiscountPercent    money.Percent // for early payment; zero if there is none
	DiscountDays       domain.Optional[int32]
	Language           string     // of documents
	AccountHolder      string     // if it is not the party
	AccountNumber      string     // in place of an IBAN, where there is none
	Terms              TradeTerms // that new invoices have

	// Those of a performer alone:
	Currency       string // ISO 4217
	VATCategory    string // one of performer.VATCategories
	VATReason      string // why no VAT is charged
	Digits         int32  // of the amounts of new invoices: one of the numbers in Digits
	Numbering      string // one of Numberings
	NumberPattern  string
	CreditPattern  string
	Chronological  bool   // a number has no date before that of the number before it
	VATReasonCode  string // that reason as a code of the list VATEX
	SellerID       string // what the clients know the performer by
	SellerIDScheme string // of ISO 6523
	LegalText      string // seat, court, managers: in the footer of documents

	// Those of a client alone:
	BuyerID       string // what the performers know the client by, such as a customer number
	BuyerIDScheme string
}

// The values of attributes with a fixed set of them; the first one is the default of those that have one.
var (
	Languages  = []string{"en", "de", "fr", "pl", "ru"}
	Numberings = []string{Manual, Series}
	Digits     = []int32{4, 2}
)

// The values of Numbering.
const (
	Manual = "manual" // the creator of an invoice numbers it
	Series = "series" // issuing an invoice numbers it
)

// MaxPaymentDays is the maximum number of days until a payment is due.
const MaxPaymentDays = 3650

// The maximum lengths of texts, in characters.
const (
	MaxCode = 64
	MaxZip  = 32
)

// New returns the attributes of a party in their normal form: texts without white space at their ends, codes in
// capitals and without separators. An error names all fields that are wrong; they are as if they were missing.
func New(s State) (State, error) { return Change(State{}, s) }

// Change is like New, for another party than before: the fields that are wrong are as they were.
func Change(before, s State) (State, error) {
	var c fault.Collector
	short(&c, "legal_name", &s.LegalName, before.LegalName, text.Short)
	short(&c, "street", &s.Street, before.Street, text.Short)
	short(&c, "street2", &s.Street2, before.Street2, text.Short)
	short(&c, "zip", &s.Zip, before.Zip, MaxZip)
	short(&c, "city", &s.City, before.City, text.Short)
	short(&c, "region", &s.Region, before.Region, text.Short)
	code(&c, "country", &s.Country, before.Country, IsCountry, "must be a country in two letters of ISO 3166, such as DE")
	compact(&c, "vat_id", &s.VATID, before.VATID, checkVATID)
	short(&c, "tax_number", &s.TaxNumber, before.TaxNumber, MaxCode)
	short(&c, "registration_id", &s.RegistrationID, before.RegistrationID, MaxCode)
	code(&c, "registration_scheme", &s.RegistrationScheme, before.RegistrationScheme, icd.MatchString,
		"must be four digits of ISO 6523, such as 0088")
	compact(&c, "iban", &s.IBAN, before.IBAN, checkIBAN)
	compact(&c, "bic", &s.BIC, before.BIC, checkBIC)
	short(&c, "contact_name", &s.ContactName, before.ContactName, text.Short)
	short(&c, "contact_phone", &s.ContactPhone, before.ContactPhone, text.Phone)
	s.ContactEmail = text.Email(&c, "contact_email", domain.Some(s.ContactEmail), before.ContactEmail)
	short(&c, "endpoint_id", &s.EndpointID, before.EndpointID, text.Short)
	code(&c, "endpoint_scheme", &s.EndpointScheme, before.EndpointScheme, eas.MatchString,
		"must be a code of the list EAS, such as 0088 or EM")
	short(&c, "buyer_reference", &s.BuyerReference, before.BuyerReference, text.Short)
	if days, ok := s.PaymentDays.Get(); ok && (days < 0 || days > MaxPaymentDays) {
		c.Coded(fault.OutOfRange, "payment_days", "must be from 0 to %d", MaxPaymentDays)
		s.PaymentDays = before.PaymentDays
	}
	s.checkDiscount(&c, before)
	one(&c, "language", &s.Language, before.Language, Languages)
	s.checkPerformer(&c, before)
	s.checkTrading(&c, before)
	s.Terms = s.Terms.Checked(&c, before.Terms)
	return s, c.Err()
}

// checkPerformer checks what a performer alone has.
func (s *State) checkPerformer(c *fault.Collector, before State) {
	code(c, "currency", &s.Currency, before.Currency, money.IsCurrency, "must be a currency in three letters of ISO 4217, such as EUR")
	one(c, "vat_category", &s.VATCategory, before.VATCategory, performer.VATCategories)
	short(c, "vat_reason", &s.VATReason, before.VATReason, text.Short)
	code(c, "vat_reason_code", &s.VATReasonCode, before.VATReasonCode, performer.IsExemption,
		"must be a code of the list VATEX, such as VATEX-EU-132-1I")
	if s.Digits != 0 && !slices.Contains(Digits, s.Digits) {
		c.Coded(fault.OutOfRange, "digits", "must be 2 or 4")
		s.Digits = before.Digits
	}
	switch {
	case s.Digits != 0:
	case s.Currency != "":
		s.Digits = 2
	default:
		s.Digits = 4
	}
	if one(c, "numbering", &s.Numbering, before.Numbering, Numberings); s.Numbering == "" {
		s.Numbering = Manual
	}
	isMissing := strings.TrimSpace(s.NumberPattern) == ""
	invoices := pattern(c, PatternField(performer.InvoiceSeries), &s.NumberPattern, before.NumberPattern)
	credits := pattern(c, PatternField(performer.CreditSeries), &s.CreditPattern, before.CreditPattern)
	if s.Numbering == Series && isMissing {
		c.Coded(fault.Required, "number_pattern", "is required with the numbering series")
	}
	if invoices.Collides(credits) {
		c.Coded(fault.Mismatch, "credit_pattern", "must differ from number_pattern in more than digits and placeholders")
	}
}

// InCents reports whether the lines and the VAT of new invoices are rounded to the cent.
func (s State) InCents() bool { return s.Digits == 2 }

// PatternField returns the name of the attribute with the pattern of the series of the kind.
func PatternField(k performer.SeriesKind) string {
	if k == performer.CreditSeries {
		return "credit_pattern"
	}
	return "number_pattern"
}

// Pattern returns the pattern of the series of the kind; zero if there is none.
func (s State) Pattern(k performer.SeriesKind) performer.SeriesPattern {
	stored := s.NumberPattern
	if k == performer.CreditSeries {
		stored = s.CreditPattern
	}
	p, _ := performer.ParseSeriesPattern(stored) // checked by New
	return p
}

func short(c *fault.Collector, name string, value *string, before string, limit int) {
	*value = text.Optional(c, name, domain.Some(*value), before, limit)
}

// code reports a code that does not fit, in capitals.
func code(c *fault.Collector, name string, value *string, before string, fits func(string) bool, message string) {
	*value = strings.ToUpper(strings.TrimSpace(*value))
	if *value != "" && !fits(*value) {
		c.Add(name, "%s", message)
		*value = before
	}
}

// compact checks an identifier without its separators.
func compact(c *fault.Collector, name string, value *string, before string, check func(string) (why string)) {
	*value = strings.ToUpper(separators.Replace(strings.TrimSpace(*value)))
	if *value == "" {
		return
	}
	if why := check(*value); why != "" {
		c.Add(name, "%s", why)
		*value = before
	}
}

var separators = strings.NewReplacer(" ", "", ".", "", "-", "", "\u00a0", "")

func one(c *fault.Collector, name string, value *string, before string, values []string) {
	*value = strings.TrimSpace(*value)
	if *value != "" && !slices.Contains(values, *value) {
		c.Add(name, "must be one of %s", strings.Join(values, ", "))
		*value = before
	}
}

func pattern(c *fault.Collector, name string, value *string, before string) performer.SeriesPattern {
	short(c, name, value, before, text.Short)
	if *value == "" {
		return performer.SeriesPattern{}
	}
	p, err := performer.ParseSeriesPattern(*value)
	switch {
	case err != nil:
		c.Add(name, "%s", err)
		*value = before
	case p.Collides(performer.DraftPattern):
		c.Add(name, "must not make numbers like draft-1, which drafts have")
		*value = before
	}
	return p
}

var (
	icd = regexp.MustCompile(`^[0-9]{4}$`)
	eas = regexp.MustCompile(`^([0-9]{4}|A[NQSU]|EM)$`)
)

// IsCountry reports whether a text is a country in two letters of ISO 3166.
func IsCountry(s string) bool {
	region, _ := language.ParseRegion(s) // the zero value, which is no country, for what is no region
	return region.IsCountry() && region.Canonicalize() == region && region.String() == s
}
