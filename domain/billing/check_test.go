package billing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

// complete returns the source of a document that lacks nothing in any form.
func complete(t *testing.T) billing.Source {
	t.Helper()
	s := source(t, item{"pcs", "2", "9.99"})
	s.Seller = party.State{
		LegalName: "Nordlicht GmbH", Street: "Hafen 1", Zip: "24103", City: "Kiel", Country: "DE", VATID: "DE136695976", IBAN: "DE02120300000000202051",
		ContactName: "Ada", ContactPhone: "+49 431 1", ContactEmail: "ada@example.org", EndpointID: "ada@example.org", EndpointScheme: "9930", Currency: "EUR",
	}
	s.Buyer = party.State{
		Zip: "50667", City: "Köln", Country: "DE", BuyerReference: "04011000-1", EndpointID: "4012345000009", EndpointScheme: "0088",
		PaymentDays: domain.Some[int32](14),
	}
	return s
}

// settle makes the amount to pay that of the lines and the VAT.
func settle(s *billing.Source) {
	d := billing.New(*s)
	s.Invoice.PayPrice = d.Gross
	if d.Kind == billing.CreditNote {
		s.Invoice.PayPrice = d.Gross.Negated()
	}
}

func found(s billing.Source, f billing.Form) string {
	var all []string
	for _, x := range billing.Check(billing.New(s), f) {
		all = append(all, fmt.Sprintf("%s %s %s %s", x.Rule, x.Term, x.Record, x.Field))
		if x.Message == "" || !strings.HasSuffix(x.Message, ".") {
			all = append(all, "a message without a sentence")
		}
	}
	return strings.Join(all, "; ")
}

// contract 16.10, 16.11, 16.84
func TestCheckNamesWhatIsMissing(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*billing.Source)
		form   billing.Form
		want   string
	}{
		"nothing":            {func(*billing.Source) {}, billing.XRechnung, ""},
		"nothing for Peppol": {func(*billing.Source) {}, billing.Peppol, ""},
		"the buyer reference": {
			func(s *billing.Source) { s.Buyer.BuyerReference = "" }, billing.XRechnung, "BR-DE-15 BT-10 client/6/party buyer_reference",
		},
		"the buyer reference in Peppol":   {func(s *billing.Source) { s.Buyer.BuyerReference = "" }, billing.Peppol, "PEPPOL-EN16931-R003 BT-10 client/6/party buyer_reference"},
		"the buyer reference in the norm": {func(s *billing.Source) { s.Buyer.BuyerReference = "" }, billing.UBL, ""},
		"an order in place of the reference": {
			both(delivered(invoice.TradeTerms{OrderReference: "B-7"}), func(s *billing.Source) { s.Buyer.BuyerReference = "" }), billing.UBL, "",
		},
		"the order of a buyer in Peppol": {
			both(delivered(invoice.TradeTerms{OrderReference: "B-7"}), func(s *billing.Source) { s.Buyer.BuyerReference, s.Buyer.Country = "", "FR" }),
			billing.Peppol, "",
		},
		"the order of a seller in Peppol": {
			both(delivered(invoice.TradeTerms{SalesOrder: "A-7"}), func(s *billing.Source) { s.Buyer.BuyerReference, s.Buyer.Country = "", "FR" }),
			billing.Peppol, "",
		},
		"where it was delivered": {delivered(invoice.TradeTerms{DeliveryCity: "Lyon"}), billing.UBL, "BR-57 BT-80 invoice/0 terms.delivery_country"},
		"in which street":        {delivered(invoice.TradeTerms{DeliveryStreet: "Kai"}), billing.UBL, "BR-57 BT-80 invoice/0 terms.delivery_country"},
		"in which country":       {delivered(invoice.TradeTerms{DeliveryCountry: "FR", DeliveryName: "Ada"}), billing.UBL, ""},
		"only to whom":           {delivered(invoice.TradeTerms{DeliveryName: "Ada"}), billing.XRechnung, ""},
		"a delivery in XRechnung": {
			delivered(invoice.TradeTerms{DeliveryCountry: "FR"}), billing.XRechnung,
			"BR-DE-10 BT-77 invoice/0 terms.delivery_city; BR-DE-11 BT-78 invoice/0 terms.delivery_zip",
		},
		"a delivery within Germany": {
			delivered(invoice.TradeTerms{DeliveryStreet: "Kai", DeliveryCountry: "DE"}), billing.Peppol,
			"DE-R-010 BT-77 invoice/0 terms.delivery_city; DE-R-011 BT-78 invoice/0 terms.delivery_zip",
		},
		"a delivery to a country without a code": {
			delivered(invoice.TradeTerms{DeliveryZip: "1", DeliveryCountry: "XK"}), billing.CII, "BR-CL-14 BT-80 invoice/0 terms.delivery_country",
		},
		"a discount for early payment":      {delivered(invoice.TradeTerms{PaymentTerms: "Skonto\n#SKONTO#TAGE=14#PROZENT=2.00#"}), billing.XRechnung, ""},
		"a discount that nobody reads":      {delivered(invoice.TradeTerms{PaymentTerms: "ab\n #SKONTO#TAGE=14#PROZENT=2#"}), billing.XRechnung, "BR-DE-18 BT-20 invoice/0 terms.payment_terms"},
		"a discount that people read":       {delivered(invoice.TradeTerms{PaymentTerms: "# 2 %"}), billing.UBL, ""},
		"a supply within the EU":            {untaxed("intra_community", invoice.TradeTerms{}), billing.UBL, "BR-IC-02 BT-48 client/6/party vat_id; BR-IC-11 BT-72 invoice/0 terms.delivery_date; BR-IC-12 BT-80 invoice/0 terms.delivery_country"},
		"a complete supply within the EU":   {both(untaxed("intra_community", invoice.TradeTerms{PeriodTo: "2024-02-01", DeliveryCountry: "FR"}), func(s *billing.Source) { s.Buyer.VATID = "FR40303265045" }), billing.UBL, ""},
		"a supply of a day within the EU":   {both(untaxed("intra_community", invoice.TradeTerms{DeliveryDate: "2024-02-01", DeliveryCountry: "FR"}), func(s *billing.Source) { s.Buyer.VATID = "FR40303265045" }), billing.CII, ""},
		"a supply from a day within the EU": {both(untaxed("intra_community", invoice.TradeTerms{PeriodFrom: "2024-02-01", DeliveryCountry: "FR"}), func(s *billing.Source) { s.Buyer.VATID = "FR40303265045" }), billing.CII, ""},
		"an export":                         {untaxed("export", invoice.TradeTerms{}), billing.UBL, ""},
		"an export of nobody": {both(untaxed("export", invoice.TradeTerms{}), func(s *billing.Source) {
			s.Seller.VATID, s.Seller.TaxNumber, s.Seller.RegistrationID = "", "1", "HRB 1"
		}), billing.UBL, "BR-G-02 BT-31 performer/3/party vat_id"},
		"the reason of an exempt line":  {mixed("7", "exempt"), billing.UBL, "BR-E-10 BT-120 performer/3/party vat_reason"},
		"a line outside the scope":      {mixed("7", "outside"), billing.UBL, "BR-O-11 BG-23 invoice/0 items; BR-CO-26 BT-31 performer/3/party registration_id"},
		"the buyer of a reverse charge": {mixed("7", "reverse_charge"), billing.CII, "BR-AE-02 BT-48 client/6/party vat_id"},
		"lines at two rates":            {mixed("7", "zero"), billing.Peppol, ""},
		"a rate below a half":           {mixed("0.4", "zero"), billing.UBL, "BR-CO-17 BT-117 invoice/0 items"},
		"the currency":                  {func(s *billing.Source) { s.Seller.Currency = "" }, billing.CII, "BR-05 BT-5 performer/3/party currency"},
		"a currency of today":           {func(s *billing.Source) { s.Seller.Currency = "DEM" }, billing.CII, "BR-CL-04 BT-5 performer/3/party currency"},
		"a country":                     {func(s *billing.Source) { s.Buyer.Country = "" }, billing.UBL, "BR-11 BT-55 client/6/party country"},
		"a country with a code":         {func(s *billing.Source) { s.Seller.Country = "XK" }, billing.UBL, "BR-CL-14 BT-40 performer/3/party country"},
		"the account":                   {func(s *billing.Source) { s.Seller.IBAN = "" }, billing.XRechnung, "BR-DE-1 BG-16 performer/3/party iban"},
		"no due date":                   {func(s *billing.Source) { s.Buyer.PaymentDays = domain.Optional[int32]{} }, billing.UBL, ""},
		"a cent a line":                 {func(s *billing.Source) { s.Invoice.PayPrice = must(money.ParseAmount("21.49")) }, billing.UBL, ""},
		"a sum that people understand":  {func(s *billing.Source) { s.Invoice.PayPrice = must(money.ParseAmount("21.46")) }, billing.UBL, "KONTOR-ROUNDING BT-114 performer/3/party digits"},
		"a credit note as its invoice": {func(s *billing.Source) {
			s.Credits, s.Buyer.IBAN = billing.Reference{Number: "1", Date: day}, "DE02120300000000202051"
			s.Invoice.PayPrice = must(money.ParseAmount("30"))
		}, billing.UBL, ""},
		"letters of a country":     {func(s *billing.Source) { s.Buyer.VATID = "XK123456789" }, billing.CII, "BR-CO-09 BT-48 client/6/party vat_id"},
		"an Italian seller abroad": {func(s *billing.Source) { s.Seller.VATID, s.Seller.City = "IT00743110157", "" }, billing.Peppol, "DE-R-003 BT-37 performer/3/party city"},
		"a Norwegian VAT id":       {func(s *billing.Source) { s.Seller.VATID = "NO974760673" }, billing.Peppol, "NO-R-001 BT-31 performer/3/party vat_id"},
		"a Norwegian check digit":  {func(s *billing.Source) { s.Seller.VATID = "NO974760674MVA" }, billing.Peppol, "NO-R-001 BT-31 performer/3/party vat_id"},
		"a whole Norwegian VAT id": {func(s *billing.Source) { s.Seller.VATID = "NO974760673MVA" }, billing.Peppol, ""},
		"a day after the date":     {func(s *billing.Source) { s.Due = day.AddDate(0, 0, -1) }, billing.UBL, "KONTOR-DUE-DATE BT-9 invoice/0 due_date"},
		"the day of the date":      {func(s *billing.Source) { s.Due, s.Invoice.Date = day, day.Add(time.Hour) }, billing.UBL, ""},
		"lines":                    {func(s *billing.Source) { s.Invoice.Lines = nil; settle(s) }, billing.UBL, "BR-16 BG-25 invoice/0 items"},
		"a unit with a code": {
			func(s *billing.Source) { s.Invoice.Lines[0].ID, s.Invoice.Lines[0].Units = 7, "parsec" }, billing.UBL, "BR-CL-23 BT-130 invoice-items/7 units",
		},
		"the reason": {
			func(s *billing.Source) { s.Invoice.Terms = performer.Terms{}; settle(s) }, billing.UBL, "BR-E-10 BT-120 performer/3/party vat_reason",
		},
		"VAT of the category": {
			func(s *billing.Source) {
				s.Invoice.Terms, s.Seller.VATCategory = performer.Terms{}, "standard"
				settle(s)
			}, billing.UBL,
			"BR-S-05 BT-152 performer/3/party vat_category",
		},
		"no VAT for the category": {
			func(s *billing.Source) { s.Seller.VATCategory = "zero" }, billing.UBL, "BR-Z-05 BT-152 performer/3/party vat_category",
		},
		"the buyer's VAT id": {
			func(s *billing.Source) {
				s.Invoice.Terms, s.Seller.VATCategory = performer.Terms{}, "reverse_charge"
				settle(s)
			}, billing.UBL,
			"BR-AE-02 BT-48 client/6/party vat_id",
		},
		"a register, outside of VAT": {
			func(s *billing.Source) {
				s.Invoice.Terms, s.Seller.VATCategory = performer.Terms{}, "outside"
				settle(s)
			}, billing.UBL,
			"BR-CO-26 BT-31 performer/3/party registration_id",
		},
		"what identifies the seller": {func(s *billing.Source) { s.Seller.VATID = "" }, billing.UBL, "BR-CO-26 BT-31 performer/3/party vat_id"},
		"a prefix that is not shown": {func(s *billing.Source) {
			s.Invoice.Terms, s.Seller.VATCategory, s.Seller.RegistrationID = performer.Terms{}, "outside", "HRB 1"
			s.Buyer.VATID = "XK123456789"
			settle(s)
		}, billing.UBL, ""},
		"no address, so no scheme":      {func(s *billing.Source) { s.Buyer.EndpointID, s.Buyer.EndpointScheme = "", "9999" }, billing.UBL, ""},
		"no address for Peppol":         {func(s *billing.Source) { s.Seller.EndpointID, s.Seller.EndpointScheme = "", "EM" }, billing.Peppol, "PEPPOL-EN16931-R020 BT-34 performer/3/party endpoint_id"},
		"a registration without scheme": {func(s *billing.Source) { s.Buyer.RegistrationID = "1" }, billing.UBL, ""},
		"a scheme without registration": {func(s *billing.Source) { s.Buyer.RegistrationScheme = "9999" }, billing.UBL, ""},
		"a scheme that is no register":  {func(s *billing.Source) { s.Buyer.RegistrationID, s.Buyer.RegistrationScheme = "1", "9999" }, billing.UBL, "BR-CL-11 BT-47-1 client/6/party registration_scheme"},
		"a scheme before the registers": {func(s *billing.Source) { s.Buyer.RegistrationID, s.Buyer.RegistrationScheme = "1", "0001" }, billing.UBL, "BR-CL-11 BT-47-1 client/6/party registration_scheme"},
		"the first register":            {func(s *billing.Source) { s.Buyer.RegistrationID, s.Buyer.RegistrationScheme = "1", "0002" }, billing.UBL, ""},
		"the last register":             {func(s *billing.Source) { s.Buyer.RegistrationID, s.Buyer.RegistrationScheme = "1", "0248" }, billing.UBL, ""},
		"a scheme behind the registers": {func(s *billing.Source) { s.Buyer.RegistrationID, s.Buyer.RegistrationScheme = "1", "0249" }, billing.UBL, "BR-CL-11 BT-47-1 client/6/party registration_scheme"},
		"an unused number":              {func(s *billing.Source) { s.Buyer.RegistrationID, s.Buyer.RegistrationScheme = "1", "0092" }, billing.UBL, "BR-CL-11 BT-47-1 client/6/party registration_scheme"},
		"a tax number or a VAT id":      {func(s *billing.Source) { s.Seller.VATID, s.Seller.RegistrationID = "", "HRB 1" }, billing.UBL, "BR-S-02 BT-31 performer/3/party vat_id"},
		"a tax number alone": {func(s *billing.Source) {
			s.Seller.VATID, s.Seller.RegistrationID, s.Seller.TaxNumber = "", "HRB 1", "1"
		}, billing.UBL, ""},
		"a scheme":               {func(s *billing.Source) { s.Buyer.EndpointScheme = "" }, billing.UBL, "BR-63 BT-49-1 client/6/party endpoint_scheme"},
		"a scheme of the list":   {func(s *billing.Source) { s.Buyer.EndpointScheme = "9999" }, billing.UBL, "BR-CL-25 BT-49-1 client/6/party endpoint_scheme"},
		"a scheme of Peppol":     {func(s *billing.Source) { s.Seller.EndpointScheme = "EM" }, billing.Peppol, "PEPPOL-EN16931-CL008  performer/3/party endpoint_scheme"},
		"a check digit":          {func(s *billing.Source) { s.Buyer.EndpointID = "4012345000008" }, billing.Peppol, "PEPPOL-COMMON-R040  client/6/party endpoint_id"},
		"German rules in Peppol": {func(s *billing.Source) { s.Seller.City = "" }, billing.Peppol, "DE-R-003 BT-37 performer/3/party city"},
		"Greek rules":            {func(s *billing.Source) { s.Seller.VATID = "EL094259216" }, billing.Peppol, "GR-R-004-1  performer/3/party country"},
		"Danish rules": {
			func(s *billing.Source) { s.Seller.Country = "DK" }, billing.Peppol,
			"DK-R-002  performer/3/party registration_id; DK-R-002  performer/3/party registration_scheme",
		},
		"half a per cent": {
			func(s *billing.Source) {
				s.Invoice = source(t, item{"", "1", "100000"}).Invoice
				s.Invoice.Terms.VATPercent = percent("0.5")
				settle(s)
			}, billing.UBL, "",
		},
		"hardly any VAT to be paid back": {
			func(s *billing.Source) {
				s.Invoice = source(t, item{"", "-1", "102.04"}).Invoice
				s.Invoice.Terms.VATPercent = percent("0.49")
				settle(s)
			}, billing.UBL, "BR-CO-17 BT-117 performer/3 vat_percent",
		},
		"hardly any VAT": {
			func(s *billing.Source) {
				s.Invoice = source(t, item{"", "1", "100000"}).Invoice
				s.Invoice.Terms.VATPercent = percent("0.01")
				settle(s)
			}, billing.UBL, "BR-CO-17 BT-117 performer/3 vat_percent",
		},
	} {
		s := complete(t)
		tt.change(&s)
		if got := found(s, tt.form); got != tt.want {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
}

// contract 16.10
func TestCheckOfFormsForPeopleFindsNothing(t *testing.T) {
	for _, f := range []billing.Form{billing.PDF, billing.HTML} {
		if got := billing.Check(billing.Document{}, f); got != nil {
			t.Errorf("%s: %v", f, got)
		}
	}
}

// contract 16.23
func TestPrintedFormsAreThoseWithPictures(t *testing.T) {
	for _, f := range billing.Forms {
		if want := f == billing.PDF || f == billing.HTML || f == billing.FacturX; f.IsPrinted() != want {
			t.Errorf("%s is printed: %t", f, !want)
		}
	}
}

// contract 16.13
func TestKindsHaveCodes(t *testing.T) {
	if invoice, note := billing.Invoice.Code(), billing.CreditNote.Code(); invoice != "380" || note != "381" {
		t.Errorf("%s and %s", invoice, note)
	}
}

// contract 16.11
func TestCheckReturnsAMaximumOfLacks(t *testing.T) {
	s := complete(t)
	s.Invoice.Lines = slices.Repeat(s.Invoice.Lines, 200)
	for i := range s.Invoice.Lines {
		s.Invoice.Lines[i].ID, s.Invoice.Lines[i].Units = invoice.LineID(i+1), "parsec"
	}
	if n := len(billing.Check(billing.New(s), billing.UBL)); n != billing.MaxLacks {
		t.Error(n)
	}
}

// contract 16.11
func TestExpectedFormNamesTheFirstLack(t *testing.T) {
	s := complete(t)
	s.Buyer.BuyerReference = ""
	for want, change := range map[string]func(){
		"is not complete for xrechnung: The buyer reference is missing. Public buyers in Germany ask for their Leitweg-ID here.": func() {},
		"ask for their Leitweg-ID here. (and 1 more)": func() { s.Buyer.City = "" },
	} {
		change()
		err := billing.Expect(billing.New(s), billing.XRechnung)
		if s.Buyer.City = "Köln"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

// contract 16.10
func TestPaymentIsATransferWithinSEPAInEuroAndFromDenmark(t *testing.T) {
	for _, tt := range []struct{ iban, currency, country, want string }{
		{"DE02120300000000202051", "EUR", "DE", "58"}, {"DE02120300000000202051", "PLN", "DE", "30"},
		{"DK5000400440116243", "DKK", "DK", "58"}, {"", "EUR", "DK", ""},
	} {
		s := complete(t)
		s.Seller.IBAN, s.Seller.Currency, s.Seller.Country = tt.iban, tt.currency, tt.country
		d := billing.New(s)
		if got := d.PaymentCode(); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

// delivered makes a document with these terms.
func delivered(t invoice.TradeTerms) func(s *billing.Source) {
	return func(s *billing.Source) { s.Invoice.Trade = t }
}

// untaxed makes a document without VAT, of the category.
func untaxed(category string, t invoice.TradeTerms) func(s *billing.Source) {
	return func(s *billing.Source) {
		s.Seller.VATCategory, s.Invoice.Terms.VATUse, s.Invoice.Trade = category, false, t
		settle(s)
	}
}
