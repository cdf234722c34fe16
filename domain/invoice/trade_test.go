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

// contract 10.170
func TestLineHasAPeriod(t *testing.T) {
	inv := invoice.Restore(stored(invoice.NotPaid))
	period := func(from, to string) invoice.LineAttributes {
		return invoice.LineAttributes{
			Name: domain.Some("pen"), Item: invoice.ItemAttributes{PeriodFrom: domain.Some(from), PeriodTo: domain.Some(to)},
		}
	}
	for _, tt := range []struct{ from, to, wrong string }{
		{"2024-02-01", "2024-02-01", ""}, {"", "2024-02-01", ""}, {"2024-02-01", "", ""},
		{"2024-02-02", "2024-02-01", "period_to must not be before period_from"},
		{"1.2.2024", "1800-01-01", "period_from must be a date from 1900 on: YYYY-MM-DD; period_to must be a date from 1900 on: YYYY-MM-DD"},
	} {
		before := len(inv.State().Lines)
		err := inv.AddLine(period(tt.from, tt.to), vat20, monday)
		if got := strings.TrimPrefix(errorText(err), "invalid: "); got != tt.wrong {
			t.Errorf("%+v: %s", tt, got)
		}
		lines := inv.State().Lines
		if last := lines[len(lines)-1]; tt.wrong == "" && (last.PeriodFrom != tt.from || last.PeriodTo != tt.to) || tt.wrong != "" && len(lines) != before {
			t.Errorf("%+v: %+v", tt, last)
		}
	}
	proposed := inv.State().WithLine(0, period("2024-02-02", "2024-02-01"), vat20)
	if last := proposed.Lines[len(proposed.Lines)-1]; last.PeriodFrom != "" || last.PeriodTo != "" {
		t.Errorf("a wrong period is judged as %+v", last)
	}
}

// contract 10.173
func TestNewInvoiceHasTermsOfTheParties(t *testing.T) {
	defaults := invoice.TradeTerms{Project: "Umbau", PaymentMeans: "59", DeliveryCity: "Kiel"}
	for name, tt := range map[string]struct {
		sent func(invoice.TradeTerms) invoice.TradeTerms
		want invoice.TradeTerms
	}{
		"none":      {nil, defaults},
		"another":   {func(t invoice.TradeTerms) invoice.TradeTerms { t.Project = "Neubau"; return t }, invoice.TradeTerms{Project: "Neubau", PaymentMeans: "59", DeliveryCity: "Kiel"}},
		"empty":     {func(t invoice.TradeTerms) invoice.TradeTerms { t.PaymentMeans = ""; return t }, invoice.TradeTerms{Project: "Umbau", DeliveryCity: "Kiel"}},
		"all empty": {terms(invoice.TradeTerms{}), invoice.TradeTerms{}},
	} {
		a := required()
		a.Trade = tt.sent
		inv, err := invoice.New(1, a.WithDefaults(defaults), vat20, monday)
		if err != nil || inv.State().Trade != tt.want {
			t.Errorf("%s: %v, %+v", name, err, inv)
		}
		inv, err = invoice.New(1, a.WithDefaults(invoice.TradeTerms{}), vat20, monday)
		if err != nil || tt.sent == nil && inv.State().Trade != (invoice.TradeTerms{}) {
			t.Errorf("%s without defaults: %v, %+v", name, err, inv)
		}
	}
}
