package billing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

// mixed makes a document with a line at the rate, and one of the category, beside the line that it has.
func mixed(rate, category string) func(s *billing.Source) {
	return func(s *billing.Source) {
		inv := invoice.Restore(s.Invoice)
		for _, vat := range []invoice.RateAttributes{
			{Percent: domain.Some(domain.Some(percent(rate)))}, {Category: domain.Some(performer.VATCategory(category))},
		} {
			a := invoice.LineAttributes{Name: domain.Some("goods"), Price: domain.Some(must(money.ParseAmount("1000"))), VAT: vat}
			if err := inv.AddLine(a, s.Invoice.Terms, day); err != nil {
				panic(err)
			}
		}
		s.Invoice = inv.State()
	}
}

// breakdown shows the VAT of a document.
func breakdown(d billing.Document) string {
	var all []string
	for _, v := range d.VAT {
		var discount money.Amount
		for _, a := range d.Adjustments {
			if a.VAT == v.Rate {
				discount = discount.Minus(a.Signed())
			}
		}
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s: %s - %s = %s, VAT %s %s",
			v.Category, v.Percent, v.Taxable.Plus(discount).Fixed(2), discount.Fixed(2), v.Taxable.Fixed(2), v.Amount.Fixed(2), v.Reason)))
	}
	return fmt.Sprintf("%s; %s - %s + %s = %s", strings.Join(all, "; "), d.Total.Fixed(2), d.Total.Minus(d.Net).Fixed(2), d.Tax.Fixed(2), d.Gross.Fixed(2))
}

// contract 16.2, 16.5, 16.82
func TestDocumentHasAVATBreakdownByRate(t *testing.T) {
	s := source(t, item{"", "3", "19.99"})
	s.Seller.VATReason = "§ 4 Nr. 21 UStG"
	mixed("19", "exempt")(&s)
	s.Invoice.Discount = percent("33.33")
	const want = "standard 19.00: 1000.00 - 333.30 = 666.70, VAT 126.67 § 4 Nr. 21 UStG; " +
		"standard 7.50: 59.97 - 19.99 = 39.98, VAT 3.00 § 4 Nr. 21 UStG; " +
		"exempt 0.00: 1000.00 - 333.30 = 666.70, VAT 0.00 § 4 Nr. 21 UStG; 2059.97 - 686.59 + 129.67 = 1503.05"
	if got := breakdown(billing.New(s)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.Seller.VATCategory = "standard"
	mixed("7.5", "reverse_charge")(&s)
	const merged = "standard 19.00: 1000.00 - 333.30 = 666.70, VAT 126.67 § 4 Nr. 21 UStG; " +
		"standard 7.50: 1059.97 - 353.29 = 706.68, VAT 53.00 § 4 Nr. 21 UStG; " +
		"exempt 0.00: 1000.00 - 333.30 = 666.70, VAT 0.00 § 4 Nr. 21 UStG; " +
		"reverse_charge 0.00: 1000.00 - 333.30 = 666.70, VAT 0.00; 4059.97 - 1353.19 + 179.67 = 2886.45"
	if got := breakdown(billing.New(s)); got != merged {
		t.Errorf("got  %s\nwant %s", got, merged)
	}
	s.Invoice.Terms.VATUse = false
	s.Seller.VATCategory = ""
	const none = "exempt 0.00: 4059.97 - 1353.19 = 2706.78, VAT 0.00 § 4 Nr. 21 UStG; 4059.97 - 1353.19 + 0.00 = 2706.78"
	if got := breakdown(billing.New(s)); got != none {
		t.Errorf("without VAT: got  %s\nwant %s", got, none)
	}
}

// contract 16.2, 16.82
func TestDiscountOfALineIsAnAllowanceOfTheLine(t *testing.T) {
	s := source(t, item{"", "3", "19.99"}, item{"", "-2", "-1.005"}, item{"", "1", "5"})
	s.Invoice.Lines[0].Discount, s.Invoice.Lines[0].Total = percent("10"), must(money.ParseAmount("53.973"))
	s.Invoice.Lines[1].Discount, s.Invoice.Lines[1].Total = percent("50"), must(money.ParseAmount("1.005"))
	for kind, want := range map[billing.Kind]string{
		billing.Invoice:    "3 * 19.9900 - 6.00 = 53.97; 2 * 1.0050 - 1.00 = 1.01; 1 * 5.0000 - 0.00 = 5.00",
		billing.CreditNote: "-3 * 19.9900 - -6.00 = -53.97; -2 * 1.0050 - -1.00 = -1.01; -1 * 5.0000 - 0.00 = -5.00",
	} {
		if s.Credits.Number = ""; kind == billing.CreditNote {
			s.Credits.Number = "7"
		}
		var got []string
		for _, l := range billing.New(s).Lines {
			got = append(got, fmt.Sprintf("%s * %s - %s = %s", l.Count, l.Price, l.Gross().Minus(l.Total).Fixed(2), l.Total.Fixed(2)))
			for _, a := range l.Adjustments {
				if !a.IsDiscount || !a.Signed().Equal(l.Total.Minus(l.Gross())) {
					t.Errorf("%s: the discount is %+v", l.Total, a)
				}
			}
		}
		if all := strings.Join(got, "; "); all != want {
			t.Errorf("got  %s\nwant %s", all, want)
		}
	}
}

// contract 16.5
func TestCreditNoteHasTheReasonsOfItsInvoice(t *testing.T) {
	s := source(t, item{"", "1", "100"})
	mixed("19", "exempt")(&s)
	s.Seller.VATReason, s.Seller.VATReasonCode = "§ 4 Nr. 21 UStG", "VATEX-EU-132-1I"
	invoiced := billing.New(s)
	invoiced.Lines = nil // the lines have no ids
	s.Credits = billing.Reference{Number: "1", Date: day}
	s.Seller.VATReason, s.Seller.VATReasonCode = "another", "VATEX-EU-J"
	for name, tt := range map[string]struct {
		credited billing.Document
		want     string
	}{
		"all of it":       {invoiced, "standard § 4 Nr. 21 UStG; standard § 4 Nr. 21 UStG; exempt § 4 Nr. 21 UStG VATEX-EU-132-1I; "},
		"without a rate":  {billing.Document{VAT: invoiced.VAT[:2]}, "standard § 4 Nr. 21 UStG; standard § 4 Nr. 21 UStG; exempt; "},
		"of another rate": {billing.Document{VAT: []billing.VAT{{Reason: "none", ReasonCode: "NONE"}}}, "standard; standard; exempt; "},
	} {
		s.Credited = &tt.credited
		got := ""
		for _, v := range billing.New(s).VAT {
			got += strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", v.Category, v.Reason, v.ReasonCode)), " ") + "; "
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// contract 16.42
func TestVATIsAlsoInTheCurrencyOfThePerformer(t *testing.T) {
	for _, tt := range []struct{ of, own, want string }{
		{"USD", "EUR", "EUR 6.75"}, {"EUR", "EUR", " 0.00"}, {"", "EUR", " 0.00"}, {"USD", "", " 0.00"},
	} {
		s := source(t, item{"", "1", "100"})
		s.Invoice.Currency, s.Seller.Currency, s.Invoice.Exchange = tt.of, tt.own, must(money.ParseQuantity("0.9"))
		d := billing.New(s)
		if got := d.TaxCurrency + " " + d.TaxInOwnCurrency().Fixed(2); got != tt.want {
			t.Errorf("in %q of a performer with %q: %s, want %s", tt.of, tt.own, got, tt.want)
		}
	}
}
