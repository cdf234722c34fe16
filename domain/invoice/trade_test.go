package invoice_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
)

func terms(t invoice.TradeTerms) func(invoice.TradeTerms) invoice.TradeTerms {
	return func(invoice.TradeTerms) invoice.TradeTerms { return t }
}

// contract 10.156
func TestTradeTermsAreCheckedAndNormalized(t *testing.T) {
	long := strings.Repeat("x", 256)
	for _, tt := range []struct {
		terms invoice.TradeTerms
		wrong string
	}{
		{invoice.TradeTerms{}, ""},
		{invoice.TradeTerms{PeriodFrom: "2024-02-01", PeriodTo: "2024-02-01", DeliveryDate: "1900-01-01", DeliveryCountry: "DE"}, ""},
		{invoice.TradeTerms{PeriodTo: "2024-01-31"}, ""},
		{invoice.TradeTerms{PaymentTerms: strings.Repeat("x", invoice.MaxPaymentTerms)}, ""},
		{invoice.TradeTerms{PeriodFrom: "2024-02-02", PeriodTo: "2024-02-01"}, "terms.period_to must not be before period_from"},
		{invoice.TradeTerms{DeliveryDate: "1899-12-31"}, "terms.delivery_date must be a date from 1900 on: YYYY-MM-DD"},
		{invoice.TradeTerms{PeriodFrom: "2024-02-30"}, "terms.period_from must be a date from 1900 on: YYYY-MM-DD"},
		{invoice.TradeTerms{DeliveryCountry: "XX"}, "terms.delivery_country must be a country in two letters of ISO 3166, such as DE"},
		{invoice.TradeTerms{DeliveryZip: long}, "terms.delivery_zip must have at most 32 characters"},
		{invoice.TradeTerms{PaymentTerms: strings.Repeat("x", invoice.MaxPaymentTerms+1)}, "terms.payment_terms must have at most 1024 characters"},
		{
			invoice.TradeTerms{DeliveryName: long, DeliveryStreet: long, DeliveryCity: long, OrderReference: long, SalesOrder: long, Contract: long},
			"terms.delivery_name must have at most 255 characters; terms.delivery_street must have at most 255 characters; " +
				"terms.delivery_city must have at most 255 characters; terms.order_reference must have at most 255 characters; " +
				"terms.sales_order must have at most 255 characters; terms.contract must have at most 255 characters",
		},
		{
			invoice.TradeTerms{Project: long, BuyerReference: long, Remittance: long}, "terms.project must have at most 255 characters; " +
				"terms.buyer_reference must have at most 255 characters; terms.remittance must have at most 255 characters",
		},
	} {
		inv := invoice.Restore(stored(invoice.NotPaid))
		err := inv.Update(invoice.Attributes{Trade: terms(tt.terms)}, vat20, tuesday)
		if got := strings.TrimPrefix(errorText(err), "invalid: "); got != tt.wrong {
			t.Errorf("%+v: %s", tt.terms, got)
		}
		if s := inv.State(); tt.wrong == "" && (s.Trade != tt.terms || s.TotalPrice.String() != "17.0000") {
			t.Errorf("%+v becomes %+v", tt.terms, s.Trade)
		}
	}
	inv := invoice.Restore(stored(invoice.NotPaid))
	sent := invoice.TradeTerms{DeliveryCountry: " de ", Contract: " V 1\n", Project: " "}
	if err := inv.Update(invoice.Attributes{Trade: terms(sent)}, vat20, tuesday); err != nil ||
		inv.State().Trade != (invoice.TradeTerms{DeliveryCountry: "DE", Contract: "V 1"}) {
		t.Errorf("%v, %+v", err, inv.State().Trade)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// contract 10.156, 16.83
func TestTermsOfAnIssuedInvoiceStayAndAreThoseOfItsCreditNotes(t *testing.T) {
	s := frozen(invoice.NotPaid)
	s.Trade = invoice.TradeTerms{DeliveryDate: "2024-02-01", OrderReference: "B-7", PaymentTerms: "2 %", Remittance: "RF18"}
	if err := invoice.Restore(s).Update(invoice.Attributes{Trade: terms(invoice.TradeTerms{})}, vat20, tuesday); !fault.Is(err, fault.Conflict) {
		t.Errorf("without its terms: %v", err)
	}
	if err := invoice.Restore(s).Update(invoice.Attributes{Trade: terms(s.Trade), Notice: domain.Some("x")}, vat20, tuesday); err != nil {
		t.Errorf("with its own terms: %v", err)
	}
	note, err := invoice.Restore(s).Credit(invoice.CreditRequest{Date: issued}, tuesday)
	if err != nil || note.State().Trade != (invoice.TradeTerms{DeliveryDate: "2024-02-01", OrderReference: "B-7"}) {
		t.Errorf("%v, %+v", err, note)
	}
}
