package billing_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

// abroad returns the source of a complete document between companies of these countries, with VAT ids of other ones.
func abroad(t *testing.T, seller, buyer string) billing.Source {
	t.Helper()
	s := complete(t)
	s.Seller.Country, s.Buyer.Country, s.Buyer.Street = seller, buyer, "Main 1"
	return s
}

// contract 16.10, 16.11
func TestPeppolHasRulesOfCountries(t *testing.T) {
	const seller, buyer = "performer/3/party ", "client/6/party "
	for name, tt := range map[string]struct {
		seller, buyer string
		change        func(s *billing.Source)
		want          string
	}{
		"DE to DE":         {"DE", "DE", func(s *billing.Source) { s.Buyer.Zip = "" }, "DE-R-009 BT-53 " + buyer + "zip"},
		"DE to DE, terms":  {"DE", "DE", func(s *billing.Source) { s.Invoice.Trade.PaymentTerms = "#2 %" }, "DE-R-018 BT-20 invoice/0 terms.payment_terms"},
		"DE to FR":         {"DE", "FR", func(s *billing.Source) { s.Buyer.Zip = "" }, ""},
		"IS, its register": {"IS", "DE", func(*billing.Source) {}, "IS-R-002  " + seller + "registration_id; IS-R-002  " + seller + "registration_scheme"},
		"IS":               {"IS", "DE", register("5902697199", "0196"), ""},
		"IS, street": {"IS", "DE", func(s *billing.Source) {
			register("5902697199", "0196")(s)
			s.Seller.Street = ""
		}, "IS-R-003  " + seller + "street"},
		"IS to IS": {"IS", "IS", func(s *billing.Source) {
			register("5902697199", "0196")(s)
			s.Buyer.Street = ""
		}, "IS-R-004  " + buyer + "registration_id; IS-R-004  " + buyer + "registration_scheme; IS-R-005  " + buyer + "street"},
		"IT":       {"IT", "DE", func(s *billing.Source) { s.Seller.VATID = "IT00743110157" }, ""},
		"IT, city": {"IT", "DE", func(s *billing.Source) { s.Seller.VATID, s.Seller.City = "IT00743110157", "" }, "IT-R-003  " + seller + "city"},
		"IT, tax number": {"IT", "DE", func(s *billing.Source) { s.Seller.VATID, s.Seller.TaxNumber = "IT00743110157", "short" },
			"IT-R-001 BT-32 " + seller + "tax_number"},
		"IT, right tax number": {"IT", "DE", func(s *billing.Source) { s.Seller.VATID, s.Seller.TaxNumber = "IT00743110157", "00743110157" }, ""},
		"NL":                   {"NL", "DE", func(*billing.Source) {}, ""},
		"NL, zip":              {"NL", "DE", func(s *billing.Source) { s.Seller.Zip = "" }, "NL-R-002  " + seller + "zip"},
		"NL, another register": {"NL", "DE", register("12345678", "0088"), "PEPPOL-COMMON-R040  " + seller + "registration_id; NL-R-003  " + seller + "registration_scheme"},
		"NL, KVK":              {"NL", "DE", register("12345678", "0106"), ""},
		"NL, OIN":              {"NL", "DE", register("12345678", "0190"), ""},
		"NL, account":          {"NL", "DE", func(s *billing.Source) { s.Seller.IBAN = "" }, "NL-R-007 BG-16 " + seller + "iban"},
		"NL, nothing to pay": {"NL", "DE", func(s *billing.Source) {
			s.Seller.IBAN = ""
			s.Invoice = source(t, item{"", "1", "0"}).Invoice
		}, ""},
		"NL to NL": {"NL", "NL", func(s *billing.Source) {
			s.Buyer.City, s.Buyer.RegistrationID, s.Buyer.RegistrationScheme = "", "1", "0106"
		},
			"NL-R-004  " + buyer + "city"},
		"NL to NL, another register": {"NL", "NL", func(s *billing.Source) { s.Buyer.RegistrationID, s.Buyer.RegistrationScheme = "12345678", "0060" },
			"NL-R-005  " + buyer + "registration_scheme"},
		"NL to NL, credit note": {"NL", "NL", func(s *billing.Source) { s.Credits = billing.Reference{Number: "1", Date: day} },
			"NL-R-008 BT-84 " + buyer + "iban"},
		"SE":                           {"SE", "DE", func(*billing.Source) {}, ""},
		"SE, number":                   {"SE", "DE", register("5561888405", "0002"), "SE-R-013 BT-30 " + seller + "registration_id"},
		"SE, number of large digits":   {"SE", "DE", both(register("5959697987", "0002"), taxNumber("godkänd för f-skatt")), ""},
		"SE, short number":             {"SE", "DE", register("556188840", "0002"), "SE-R-013 BT-30 " + seller + "registration_id"},
		"SE, right number":             {"SE", "DE", register("5561888404", "0002"), ""},
		"SE, tax number":               {"SE", "DE", both(register("5561888404", "0002"), taxNumber("1")), "SE-R-005 BT-32 " + seller + "tax_number"},
		"SE, F-tax":                    {"SE", "DE", both(register("5561888404", "0002"), taxNumber("godkänd för F-skatt")), ""},
		"SE, no register":              {"SE", "DE", taxNumber("1"), ""},
		"SE, rate":                     {"SE", "DE", func(s *billing.Source) { s.Seller.VATID = "SE556188840401" }, "SE-R-006 BT-152 performer/3 vat_percent"},
		"SE, right rate":               {"SE", "DE", both(rate("25"), func(s *billing.Source) { s.Seller.VATID = "SE556188840401" }), ""},
		"NO, VAT id that is not shown": {"NO", "DE", outside("NO974760673"), ""},
		"FR, VAT id that is not shown": {"FR", "DE", both(outside("IT00743110157"), func(s *billing.Source) { s.Seller.Street = "" }), ""},
		"DK to DK, refund":             {"DK", "DK", both(register("13585628", "0184"), refund(t)), "DK-R-016 BT-115 invoice/0 items"},
		"DK abroad, refund":            {"DK", "DE", both(register("13585628", "0184"), refund(t)), ""},
	} {
		s := abroad(t, tt.seller, tt.buyer)
		tt.change(&s)
		settle(&s)
		if got := found(s, billing.Peppol); got != tt.want {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
}

func both(a, b func(s *billing.Source)) func(s *billing.Source) {
	return func(s *billing.Source) {
		a(s)
		b(s)
	}
}

func register(id, scheme string) func(s *billing.Source) {
	return func(s *billing.Source) { s.Seller.RegistrationID, s.Seller.RegistrationScheme = id, scheme }
}

func taxNumber(number string) func(s *billing.Source) {
	return func(s *billing.Source) { s.Seller.TaxNumber = number }
}

// outside makes the document one outside the scope of VAT.
func outside(vatID string) func(s *billing.Source) {
	return func(s *billing.Source) {
		s.Invoice.Terms, s.Seller.VATCategory = performer.Terms{}, "outside"
		s.Seller.VATID, s.Seller.RegistrationID = vatID, "1"
	}
}

func rate(text string) func(s *billing.Source) {
	return func(s *billing.Source) { s.Invoice.Terms.VATPercent = percent(text) }
}

// refund makes the document a credit note whose amount due is negative.
func refund(t *testing.T) func(s *billing.Source) {
	t.Helper()
	return func(s *billing.Source) {
		s.Invoice = source(t, item{"", "1", "10"}).Invoice
		s.Credits = billing.Reference{Number: "1", Date: day}
		s.Buyer.IBAN = "DK5000400440116243"
	}
}

// contract 16.12
func TestPeppolChecksDigitsOfIdentifiers(t *testing.T) {
	for scheme, ids := range map[string][2]string{ // right ones, wrong ones
		"0088": {"4012345000009 7300010000001", "4012345000008 7300010000002 40123450x0009"},
		"0192": {"974760673 991825827", "974760674 000000000 97476067 9747606730"},
		"0184": {"13585628 DK13585628", "1358562 DK1358562"},
		"0208": {"0428759497 0403019261", "0428759498 428759497 04287594970"},
		"0007": {"5561888404 2120000142", "5561888405 556188840"},
		"0151": {"51824753556", "51824753557 01824753556 5182475355"},
	} {
		refuses := func(change func(p *party.State)) bool {
			s := complete(t)
			change(&s.Buyer)
			return strings.HasPrefix(found(s, billing.Peppol), "PEPPOL-COMMON-R0")
		}
		for i, list := range ids {
			for id := range strings.FieldsSeq(list) {
				if got := refuses(func(p *party.State) { p.EndpointID, p.EndpointScheme = id, scheme }); got != (i == 1) {
					t.Errorf("the address %s of %s is refused: %t", id, scheme, got)
				}
				if got := refuses(func(p *party.State) { p.RegistrationID, p.RegistrationScheme = id, scheme }); got != (i == 1) {
					t.Errorf("the registration %s of %s is refused: %t", id, scheme, got)
				}
			}
		}
	}
}
