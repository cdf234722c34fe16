package invoice

import (
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/text"
)

// MaxPaymentTerms is the maximum number of characters of the payment terms.
const MaxPaymentTerms = 1024

// TradeTerms are what documents say of an order and its delivery. Missing texts are empty. They can be compared with ==, and are stored
// under the names of the API.
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
}

// checked returns the terms in their normal form, and reports what is wrong, which stays as it was before.
func (t TradeTerms) checked(c *fault.Collector, before TradeTerms) TradeTerms {
	const prefix = "terms."
	for _, d := range []struct {
		name string
		day  *string
		old  string
	}{
		{"delivery_date", &t.DeliveryDate, before.DeliveryDate}, {"period_from", &t.PeriodFrom, before.PeriodFrom},
		{"period_to", &t.PeriodTo, before.PeriodTo},
	} {
		if *d.day == "" {
			continue
		}
		if at, err := time.Parse(time.DateOnly, *d.day); err != nil || !civil.InRange(at) {
			c.Add(prefix+d.name, "must be a date from 1900 on: YYYY-MM-DD")
			*d.day = d.old
		}
	}
	if t.PeriodFrom != "" && t.PeriodTo != "" && t.PeriodTo < t.PeriodFrom {
		c.Coded(fault.OutOfRange, prefix+"period_to", "must not be before period_from")
		t.PeriodFrom, t.PeriodTo = before.PeriodFrom, before.PeriodTo
	}
	t.DeliveryCountry = strings.ToUpper(strings.TrimSpace(t.DeliveryCountry))
	if t.DeliveryCountry != "" && !party.IsCountry(t.DeliveryCountry) {
		c.Add(prefix+"delivery_country", "must be a country in two letters of ISO 3166, such as DE")
		t.DeliveryCountry = before.DeliveryCountry
	}
	for _, s := range []struct {
		name  string
		value *string
		old   string
		limit int
	}{
		{"delivery_name", &t.DeliveryName, before.DeliveryName, text.Short},
		{"delivery_street", &t.DeliveryStreet, before.DeliveryStreet, text.Short},
		{"delivery_zip", &t.DeliveryZip, before.DeliveryZip, party.MaxZip},
		{"delivery_city", &t.DeliveryCity, before.DeliveryCity, text.Short},
		{"order_reference", &t.OrderReference, before.OrderReference, text.Short},
		{"sales_order", &t.SalesOrder, before.SalesOrder, text.Short},
		{"contract", &t.Contract, before.Contract, text.Short},
		{"project", &t.Project, before.Project, text.Short},
		{"buyer_reference", &t.BuyerReference, before.BuyerReference, text.Short},
		{"payment_terms", &t.PaymentTerms, before.PaymentTerms, MaxPaymentTerms},
		{"remittance", &t.Remittance, before.Remittance, text.Short},
	} {
		*s.value = text.Optional(c, prefix+s.name, domain.Some(*s.value), s.old, s.limit)
	}
	return t
}

// credited returns the terms of a credit note for the invoice that has them: those of its payment are not repeated.
func (t TradeTerms) credited() TradeTerms {
	t.PaymentTerms, t.Remittance = "", ""
	return t
}
