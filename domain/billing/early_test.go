package billing_test

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

// contract 18.32
func TestPaymentTermsHaveTheDiscountForEarlyPayment(t *testing.T) {
	s := complete(t)
	s.Invoice.Date = day.Add(23 * time.Hour)
	s.Invoice.EarlyRate, s.Invoice.EarlyUntil = percent("2.5"), day.AddDate(0, 0, 10)
	const machine = "#SKONTO#TAGE=10#PROZENT=2.50#\n"
	for _, tt := range []struct {
		terms string
		form  billing.Form
		want  string
	}{
		{"", billing.XRechnung, machine},
		{"", billing.XRechnungCII, machine},
		{"net", billing.XRechnung, "net\n" + machine},
		{"#SKONTO#TAGE=1#PROZENT=3.00#", billing.XRechnung, "#SKONTO#TAGE=1#PROZENT=3.00#\n" + machine},
		{"", billing.UBL, "a sentence"},
		{"net", billing.CII, "net\na sentence"},
		{"net", billing.Peppol, "net\na sentence"},
	} {
		s.Invoice.Trade.PaymentTerms = tt.terms
		d := billing.New(s)
		d.Trade.PaymentTerms = d.PaymentTermsIn(tt.form, "a sentence")
		if got := d.PaymentTerms(); got != tt.want {
			t.Errorf("%q as %s: %q, want %q", tt.terms, tt.form, got, tt.want)
		}
		if got := found(s, tt.form); got != "" {
			t.Errorf("%q as %s: %s", tt.terms, tt.form, got)
		}
	}
	s.Invoice.EarlyRate, s.Invoice.EarlyUntil, s.Invoice.Trade = percent("0"), time.Time{}, invoice.TradeTerms{PaymentTerms: "net"}
	if d := billing.New(s); d.PaymentTermsIn(billing.XRechnung, "") != "net" {
		t.Error("without a discount, the terms are others")
	}
}

// contract 18.32, 18.33
func TestDocumentHasWhatIsPrepaidAndWhatIsDueEarly(t *testing.T) {
	for name, tt := range map[string]struct {
		prepaid string
		change  func(*billing.Source)
		want    string // prepaid, due, rounding, due early
	}{
		"nothing prepaid": {"0", func(*billing.Source) {}, "0.00 107.50 0.00 105.35"},
		"a part":          {"15", func(*billing.Source) {}, "15.00 92.50 0.00 90.65"},
		"half a cent":     {"107.25", func(*billing.Source) {}, "107.25 0.25 0.00 0.24"}, // 0.005 is rounded
		"rounded":         {"15", func(s *billing.Source) { s.Invoice.PayPrice = must(money.ParseAmount("107.51")) }, "15.00 92.51 0.01 90.66"},
		"all":             {"107.5", func(*billing.Source) {}, "107.50 0.00 0.00 none"},
		"no discount":     {"15", func(s *billing.Source) { s.Invoice.EarlyRate = percent("0") }, "15.00 92.50 0.00 none"},
		"a credit note": {"15", func(s *billing.Source) {
			s.Credits = billing.Reference{Number: "1"}
		}, "0.00 -107.50 0.00 none"},
	} {
		s := source(t, item{"", "1", "100"})
		s.Invoice.EarlyRate, s.Invoice.EarlyUntil, s.Prepaid = percent("2"), day, must(money.ParseAmount(tt.prepaid))
		tt.change(&s)
		d := billing.New(s)
		early := "none"
		if !d.Early.Percent.IsZero() {
			early = d.Early.Amount.Fixed(2)
		}
		if early == "none" && d.Early != (billing.EarlyPayment{}) {
			t.Errorf("%s: %+v is due early", name, d.Early)
		}
		if got := d.Prepaid.Fixed(2) + " " + d.AmountDue.Fixed(2) + " " + d.Rounding.Fixed(2) + " " + early; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
