package party

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// MaxPaymentTerms is the maximum number of characters of the payment terms.
const MaxPaymentTerms = 1024

// TradeTerms are what documents say of an order, its delivery and its payment. Missing texts are empty. They can be compared with ==,
// and are stored under the names of the API.
type TradeTerms struct {
	DeliveryDate    string `json:"delivery_date,omitempty"` // YYYY-MM-DD, like all dates here
	PeriodFrom      string `json:"period_from,omitempty"`
	PeriodTo        string `json:"period_to,omitempty"` // not before PeriodFrom
	DeliveryName    string `json:"delivery_name,omitempty"`
	DeliveryStreet  string `json:"delivery_street,omitempty"`
	DeliveryZip     string `json:"delivery_zip,omitempty"`
	DeliveryCity    string `json:"delivery_city,omitempty"`
	DeliveryCountry string `json:"delivery_country,omitempty"` // ISO 3166, two letters
	OrderReference  string `json:"order_reference,omitempty"`
	SalesOrder      string `json:"sales_order,omitempty"`
	Contract        string `json:"contract,omitempty"`
	Project         string `json:"project,omitempty"`
	BuyerReference  string `json:"buyer_reference,omitempty"` // in place of that of the client's party
	PaymentTerms    string `json:"payment_terms,omitempty"`
	Remittance      string `json:"remittance,omitempty"` // in place of the number

	PaymentMeans     string `json:"payment_means,omitempty"` // one of PaymentMeans
	PaymentMeansText string `json:"payment_means_text,omitempty"`
	CardNumber       string `json:"card_number,omitempty"` // the last digits
	CardHolder       string `json:"card_holder,omitempty"`
	Mandate          string `json:"mandate,omitempty"` // of a direct debit
	CreditorID       string `json:"creditor_id,omitempty"`
	DebitedIBAN      string `json:"debited_iban,omitempty"`
	Notes            Notes  `json:"notes,omitzero"`
}

// PaymentMeans are the codes of means of payment (UNTDID 4461).
var PaymentMeans = func() (codes []string) {
	for _, r := range [][2]int{{1, 70}, {74, 78}, {91, 98}} {
		for i := range r[1] - r[0] + 1 {
			codes = append(codes, strconv.Itoa(r[0]+i))
		}
	}
	return append(codes, "ZZZ")
}()

// IsCard reports whether the code is that of a payment by card.
func IsCard(code string) bool { return code == "48" || code == "54" || code == "55" }

// IsDebit reports whether the code is that of a direct debit.
func IsDebit(code string) bool { return code == "49" || code == "59" }

// cardDigits are the last digits of the number of a card, the whole of which nobody may store.
var cardDigits = regexp.MustCompile(`^[0-9]{4,6}$`)

// Checked returns the terms in their normal form, and reports what is wrong, which stays as it was before.
func (t TradeTerms) Checked(c *fault.Collector, before TradeTerms) TradeTerms {
	const prefix = "terms."
	civil.CheckDay(c, prefix+"delivery_date", &t.DeliveryDate, before.DeliveryDate)
	old := civil.Period{From: before.PeriodFrom, To: before.PeriodTo}
	period := civil.CheckPeriod(c, prefix, civil.Period{From: t.PeriodFrom, To: t.PeriodTo}, old)
	t.PeriodFrom, t.PeriodTo = period.From, period.To
	code(c, prefix+"delivery_country", &t.DeliveryCountry, before.DeliveryCountry, IsCountry,
		"must be a country in two letters of ISO 3166, such as DE")
	for _, s := range []struct {
		name  string
		value *string
		old   string
		limit int
	}{
		{"delivery_name", &t.DeliveryName, before.DeliveryName, text.Short},
		{"delivery_street", &t.DeliveryStreet, before.DeliveryStreet, text.Short},
		{"delivery_zip", &t.DeliveryZip, before.DeliveryZip, MaxZip},
		{"delivery_city", &t.DeliveryCity, before.DeliveryCity, text.Short},
		{"order_reference", &t.OrderReference, before.OrderReference, text.Short},
		{"sales_order", &t.SalesOrder, before.SalesOrder, text.Short},
		{"contract", &t.Contract, before.Contract, text.Short},
		{"project", &t.Project, before.Project, text.Short},
		{"buyer_reference", &t.BuyerReference, before.BuyerReference, text.Short},
		{"payment_terms", &t.PaymentTerms, before.PaymentTerms, MaxPaymentTerms},
		{"remittance", &t.Remittance, before.Remittance, text.Short},
		{"payment_means_text", &t.PaymentMeansText, before.PaymentMeansText, text.Short},
		{"card_holder", &t.CardHolder, before.CardHolder, text.Short},
		{"mandate", &t.Mandate, before.Mandate, text.Short},
		{"creditor_id", &t.CreditorID, before.CreditorID, text.Short},
	} {
		*s.value = text.Optional(c, prefix+s.name, domain.Some(*s.value), s.old, s.limit)
	}
	isMeans := func(code string) bool { return slices.Contains(PaymentMeans, code) }
	code(c, prefix+"payment_means", &t.PaymentMeans, before.PaymentMeans, isMeans,
		"must be a code of UNTDID 4461, such as 59 for a direct debit in SEPA")
	code(c, prefix+"card_number", &t.CardNumber, before.CardNumber, cardDigits.MatchString,
		"must be the last 4 to 6 digits of the card, and no more of them")
	compact(c, prefix+"debited_iban", &t.DebitedIBAN, before.DebitedIBAN, checkIBAN)
	t.Notes = t.Notes.checked(c, prefix, before.Notes)
	return t
}

// Credited returns the terms of a credit note for the invoice that has them: those of its payment are not repeated.
func (t TradeTerms) Credited() TradeTerms {
	t.PaymentTerms, t.Remittance = "", ""
	t.PaymentMeans, t.PaymentMeansText, t.CardNumber, t.CardHolder, t.Mandate, t.CreditorID, t.DebitedIBAN = "", "", "", "", "", "", ""
	t.Notes = NotesOf(slices.DeleteFunc(t.Notes.List(), Note.isOfPayment))
	return t
}

// Or returns the terms, with those of the other where these have none. The address of a delivery is one of them.
func (t TradeTerms) Or(other TradeTerms) TradeTerms {
	if t.delivery() == ([5]string{}) {
		t = t.deliveredTo(other.delivery())
	}
	for _, s := range []struct {
		value *string
		other string
	}{
		{&t.OrderReference, other.OrderReference}, {&t.Contract, other.Contract}, {&t.Project, other.Project},
		{&t.BuyerReference, other.BuyerReference}, {&t.PaymentTerms, other.PaymentTerms}, {&t.PaymentMeans, other.PaymentMeans},
		{&t.PaymentMeansText, other.PaymentMeansText}, {&t.CardNumber, other.CardNumber}, {&t.CardHolder, other.CardHolder},
		{&t.Mandate, other.Mandate}, {&t.CreditorID, other.CreditorID}, {&t.DebitedIBAN, other.DebitedIBAN},
	} {
		*s.value = cmp.Or(*s.value, s.other)
	}
	t.Notes = cmp.Or(t.Notes, other.Notes)
	return t
}

// Changed returns what a change makes of the terms as the defaults of a new invoice: one that has an address of delivery leaves
// nothing of theirs.
func (t TradeTerms) Changed(change func(TradeTerms) TradeTerms) TradeTerms {
	next := change(t)
	if next.delivery() != t.delivery() {
		next = next.deliveredTo(change(TradeTerms{}).delivery())
	}
	return next
}

func (t TradeTerms) delivery() [5]string {
	return [5]string{t.DeliveryName, t.DeliveryStreet, t.DeliveryZip, t.DeliveryCity, t.DeliveryCountry}
}

func (t TradeTerms) deliveredTo(a [5]string) TradeTerms {
	t.DeliveryName, t.DeliveryStreet, t.DeliveryZip, t.DeliveryCity, t.DeliveryCountry = a[0], a[1], a[2], a[3], a[4]
	return t
}
