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

// contract 10.157
func TestTextsOfALineAreCheckedAndCredited(t *testing.T) {
	long := domain.Some(strings.Repeat("x", 65_536))
	item := func(a invoice.ItemAttributes) invoice.LineAttributes {
		l := line("pen", "1", "1")
		l.Item = a
		return l
	}
	for gtin, want := range map[string]string{
		"4006381333931": "4006381333931", "\n96385074": "96385074", "036000291452": "036000291452", "10614141000415": "10614141000415", "": "",
		"4006381333932": "-", "123456789": "-", "9638507X": "-", "00000000000000000": "-", "40063813339": "-",
	} {
		inv := must(invoice.New(issuer, required(), vat20, monday))
		switch err := inv.AddLine(item(invoice.ItemAttributes{GTIN: domain.Some(gtin)}), vat20, monday); {
		case want == "-" && (err == nil || !strings.Contains(err.Error(), "gtin must be a GTIN of 8, 12, 13 or 14 digits")):
			t.Errorf("%q: %v", gtin, err)
		case want != "-" && (err != nil || inv.State().Lines[0].GTIN != want):
			t.Errorf("%q: %v, %+v", gtin, err, inv.State().Lines)
		}
	}
	inv := must(invoice.New(issuer, required(), vat20, monday))
	err := inv.AddLine(item(invoice.ItemAttributes{Description: long, ItemNumber: long, BuyerItemNumber: long, Note: long}), vat20, monday)
	const wrong = "invalid: description must have at most 65535 characters; item_number must have at most 255 characters; " +
		"buyer_item_number must have at most 255 characters; note must have at most 65535 characters"
	if errorText(err) != wrong {
		t.Errorf("too long: %v", err)
	}
	texts := invoice.ItemAttributes{
		Description: domain.Some("blue"), ItemNumber: domain.Some("P-1"), BuyerItemNumber: domain.Some("77"), GTIN: domain.Some("96385074"),
		Note: domain.Some("as agreed"),
	}
	if err := inv.AddLine(item(texts), vat20, monday); err != nil {
		t.Fatal(err)
	}
	s := inv.State()
	want := invoice.Item{Description: "blue", ItemNumber: "P-1", BuyerItemNumber: "77", GTIN: "96385074", Note: "as agreed"}
	if s.Lines[0].Item != want || s.TextBytes != len("pen")+4+3+2+8+9 {
		t.Errorf("it is %+v, with %d bytes", s.Lines[0], s.TextBytes)
	}
	s.ID, s.Lines[0].ID, s.IssuedOn = 1, 1, monday
	note, err := invoice.Restore(s).Credit(invoice.CreditRequest{Date: issued}, tuesday)
	if err != nil || note.State().Lines[0].Item != want {
		t.Errorf("credited: %v, %+v", err, note)
	}
	if err := inv.Update(invoice.Attributes{Number: domain.Some("R-9")}, vat20, tuesday); err != nil || inv.State().Lines[0].Item != want {
		t.Errorf("after another change: %v, %+v", err, inv.State())
	}
}
