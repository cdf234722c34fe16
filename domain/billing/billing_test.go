package billing_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

var day = time.Date(2024, 3, 5, 0, 0, 0, 0, time.UTC)

type item struct{ units, count, price string }

// source returns an invoice of a performer that charges 7.5 % VAT.
func source(t *testing.T, items ...item) billing.Source {
	t.Helper()
	var lines []invoice.LineAttributes
	for i, it := range items {
		lines = append(lines, invoice.LineAttributes{
			Name: domain.Some(fmt.Sprintf("Item %d", i+1)), Units: domain.Some(it.units),
			Count: domain.Some(must(money.ParseQuantity(it.count))), Price: domain.Some(must(money.ParseAmount(it.price))),
		})
	}
	inv, err := invoice.New(1, invoice.Attributes{
		Number: domain.Some("2024-003"), Date: domain.Some(day), PerformerID: domain.Some(performer.ID(3)),
		ClientID: domain.Some(client.ID(6)), TypeID: domain.Some(invoiceType), Lines: domain.Some(lines),
	}, performer.Terms{VATUse: true, VATPercent: percent("7.5")}, day)
	if err != nil {
		t.Fatal(err)
	}
	return billing.Source{
		Invoice:   inv.State(),
		Performer: performer.State{ID: 3, Name: "Nordlicht Books", Terms: inv.State().Terms},
		Client:    client.State{ID: 6, Name: "Café Müller", Type: client.Company},
	}
}

const invoiceType catalog.InvoiceTypeID = 1

func percent(s string) money.Percent { return must(money.ParsePercent(s)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func amounts(d billing.Document) string {
	s := ""
	for _, l := range d.Lines {
		s += l.Count.String() + " * " + l.Price.String() + " = " + l.Total.Fixed(billing.Cents) + "; "
	}
	return s + fmt.Sprintf("%s + %s = %s, %s to pay with %s",
		d.Total.Fixed(2), d.Tax.Fixed(2), d.Gross.Fixed(2), d.AmountDue.Fixed(2), d.Rounding.Fixed(2))
}

// contract 16.2, 16.3
func TestDocumentHasAmountsInCents(t *testing.T) {
	for name, tt := range map[string]struct {
		items []item
		want  string
	}{
		"of the pages": {
			[]item{{"", "3", "19.99"}, {"kg", "1.255", "0.3333"}, {"", "-1", "5.5"}},
			"3 * 19.9900 = 59.97; 1.255 * 0.3333 = 0.42; -1 * 5.5000 = -5.50; 54.89 + 4.12 = 59.01, 59.00 to pay with -0.01",
		},
		"a negative price":    {[]item{{"", "2", "-3"}}, "-2 * 3.0000 = -6.00; -6.00 + -0.45 = -6.45, -6.45 to pay with 0.00"},
		"two negative values": {[]item{{"", "-2", "-3"}}, "2 * 3.0000 = 6.00; 6.00 + 0.45 = 6.45, 6.45 to pay with 0.00"},
		"many halves": {
			[]item{{"", "1", "0.005"}, {"", "1", "0.005"}, {"", "1", "0.005"}, {"", "1", "0.005"}},
			"1 * 0.0050 = 0.01; 1 * 0.0050 = 0.01; 1 * 0.0050 = 0.01; 1 * 0.0050 = 0.01; 0.04 + 0.00 = 0.04, 0.02 to pay with -0.02",
		},
		"no lines": {nil, "0.00 + 0.00 = 0.00, 0.00 to pay with 0.00"},
	} {
		if got := amounts(billing.New(source(t, tt.items...))); got != tt.want {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
}

// contract 16.4
func TestCreditNoteHasPositiveAmounts(t *testing.T) {
	s := source(t, item{"", "-3", "19.99"}, item{"kg", "-1.255", "0.3333"}, item{"", "1", "5.5"})
	s.Credits = billing.Reference{Number: "2024-003", Date: day}
	s.Performer.BankDetails = "IBAN of the seller"
	d := billing.New(s)
	const want = "3 * 19.9900 = 59.97; 1.255 * 0.3333 = 0.42; -1 * 5.5000 = -5.50; 54.89 + 4.12 = 59.01, 59.00 to pay with -0.01"
	if got := amounts(d); d.Kind != billing.CreditNote || got != want {
		t.Errorf("%v: %s", d.Kind, got)
	}
	if d.BankDetails != "" {
		t.Errorf("the amount is paid to %s", d.BankDetails)
	}
}

// contract 16.4
func TestCreditNoteHasCurrencyAndVATOfTheCreditedDocument(t *testing.T) {
	s := source(t, item{"", "-1", "100"})
	s.Seller.Currency, s.Seller.VATCategory, s.Seller.VATReason = "CHF", "exempt", "small"
	s.Credits = billing.Reference{Number: "2024-003", Date: day}
	rate := invoice.Rate{Category: billing.Standard, Percent: percent("7.5")}
	s.Invoice.Lines[0].Credits = 5
	s.Credited = &billing.Document{Currency: "EUR", Lines: []billing.Line{{ID: 5, VAT: rate}}, VAT: []billing.VAT{{Rate: rate, Reason: "as was"}}}
	d := billing.New(s)
	if d.Currency != "EUR" || len(d.VAT) != 1 || d.VAT[0].Rate != rate || d.VAT[0].Reason != "as was" || d.Tax.String() != "7.5000" {
		t.Errorf("the credit note is in %s, with the VAT %+v", d.Currency, d.VAT)
	}
	if s.Credited.Currency = ""; billing.New(s).Currency != "CHF" {
		t.Errorf("it is in %q", billing.New(s).Currency)
	}
}

func TestDocumentThatDoesNotCount(t *testing.T) { // contract 16.76
	s := source(t, item{"", "1", "100"})
	s.Invoice.ID = 7
	for _, tt := range []struct {
		number string
		status invoice.Status
		issued time.Time
		want   billing.Standing
	}{
		{"2024-003", invoice.NotPaid, time.Time{}, billing.Valid},
		{"draft-8", invoice.NotPaid, time.Time{}, billing.Valid},
		{"draft-7", invoice.NotPaid, time.Time{}, billing.Draft},
		{"draft-7", invoice.Cancelled, time.Time{}, billing.Cancelled},
		{"2024-003", invoice.Cancelled, time.Time{}, billing.Cancelled},
		{"draft-7", invoice.NotPaid, day, billing.Valid}, // while it is issued
		{"2024-003", invoice.Cancelled, day, billing.Valid},
	} {
		s.Invoice.Number, s.Invoice.Status, s.Invoice.IssuedOn = tt.number, tt.status, tt.issued
		d := billing.New(s)
		if d.Standing != tt.want {
			t.Errorf("%s, %s, issued %v: %v", tt.number, tt.status, tt.issued, d.Standing)
		}
		for _, f := range billing.Forms {
			isRefused := f != billing.PDF && f != billing.HTML && tt.want != billing.Valid
			err := billing.CheckStanding(d, f)
			if (err != nil) != isRefused || err != nil && !fault.Is(err, fault.Conflict) {
				t.Errorf("%s, %s: as %s: %v", tt.number, tt.status, f, err)
			}
			if isRefused && strings.Contains(err.Error(), "is a draft") != (tt.want == billing.Draft) {
				t.Errorf("%s, %s: %v", tt.number, tt.status, err)
			}
		}
	}
}

func TestCategoryFollowsTheTermsUnlessThePerformerHasOne(t *testing.T) { // contract 16.5
	for _, tt := range []struct {
		own, percent string
		isUsed       bool
		want         billing.Category
	}{
		{"", "19", true, billing.Standard},
		{"", "0", true, billing.Zero},
		{"", "19", false, billing.Exempt},
		{"outside", "19", false, billing.Outside},
		{"reverse_charge", "19", true, billing.ReverseCharge}, // which Check finds
	} {
		s := source(t, item{"", "1", "100"})
		s.Invoice.Terms = performer.Terms{VATUse: tt.isUsed, VATPercent: percent(tt.percent)}
		s.Seller.VATCategory = tt.own
		if got := billing.New(s).VAT[0]; got.Category != tt.want || got.Percent.IsZero() != (!tt.isUsed || tt.percent == "0") {
			t.Errorf("%q, %s %%, %v: %s, %s", tt.own, tt.percent, tt.isUsed, got.Category, got.Percent)
		}
	}
}

// contract 16.1
func TestDocumentHasTheDataOfItsParties(t *testing.T) {
	s := source(t, item{"", "1", "100"})
	s.Performer.Phone, s.Performer.Email, s.Performer.CompanyAddress = "+49 30 1", "a@example.org", "Hafen 1, Kiel"
	s.Seller = party.State{LegalName: "Nordlicht GmbH", IBAN: "DE02120300000000202051", Language: "de", PaymentDays: domain.Some[int32](30)}
	s.Buyer = party.State{BuyerReference: "04011000-1234512345-06", PaymentDays: domain.Some[int32](14), IBAN: "DE02500105170137075030"}
	d := billing.New(s)
	got := fmt.Sprint([]any{
		d.Seller.Name, d.Seller.TradingName, d.Seller.Address, d.Seller.ContactPhone, d.Seller.ContactEmail, d.Buyer.Name, d.Buyer.TradingName,
		d.Language, d.Due.Format(time.DateOnly), d.BuyerReference, d.Account,
	})
	want := "[Nordlicht GmbH Nordlicht Books Hafen 1, Kiel +49 30 1 a@example.org Café Müller  de 2024-03-19 04011000-1234512345-06 " +
		"{Nordlicht GmbH DE02120300000000202051  }]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s.Buyer.LegalName = "Müller GmbH"
	if d := billing.New(s); d.Buyer.Name != "Müller GmbH" || d.Buyer.TradingName != "" {
		t.Errorf("the buyer is %q, trading as %q", d.Buyer.Name, d.Buyer.TradingName)
	}
	s.Buyer.LegalName = ""
	s.Due, s.Buyer.Language, s.Credits = day, "fr", billing.Reference{Number: "1"}
	if d := billing.New(s); !d.Due.Equal(day) || d.Language != "fr" || d.Account.IBAN != "DE02500105170137075030" || d.Account.Holder != "Café Müller" {
		t.Errorf("%v %s %v", d.Due, d.Language, d.Account)
	}
	s.Due, s.Buyer.PaymentDays = time.Time{}, domain.Optional[int32]{}
	if d := billing.New(s); !d.Due.IsZero() {
		t.Errorf("a credit note is due on %v", d.Due)
	}
	s.Credits = billing.Reference{}
	if d := billing.New(s); d.Due.Format(time.DateOnly) != "2024-04-04" {
		t.Error(d.Due)
	}
}

func TestUnitHasACode(t *testing.T) { // contract 16.6
	for unit, want := range map[string]string{
		"": "C62", "pcs": "H87", "Stk.": "H87", "шт.": "H87", "Stück": "H87", "kg": "KGM", "h": "HUR", "MTK": "MTK", "lump sum": "LS", " Std. ": "HUR",
		"HUR": "HUR", "XPP": "XPP", "EA": "EA", "ea": "H87", "STK": "STK", "PP": "", "parsec of cake": "", "hur": "", "XYZZY": "",
	} {
		if got := billing.UnitCode(unit); got != want {
			t.Errorf("%q is %q, want %q", unit, got, want)
		}
	}
}
