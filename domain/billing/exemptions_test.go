package billing_test

import (
	"testing"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// exempt gives the performer a category and the code of a reason.
func exempt(category, code string) func(s *billing.Source) {
	return both(untaxed(category, invoice.TradeTerms{DeliveryDate: "2024-02-01", DeliveryCountry: "FR", DeliveryCity: "Lyon", DeliveryZip: "69001"}), func(s *billing.Source) {
		s.Seller.VATReasonCode, s.Seller.RegistrationID, s.Buyer.VATID = code, "HRB 1", "FR40303265045"
	})
}

// contract 16.90
func TestCodeIsAReasonOfItsCategory(t *testing.T) {
	const misfit = " BT-121 performer/3/party vat_reason_code"
	for _, tt := range []struct{ category, code, written, want string }{
		{"exempt", "VATEX-EU-132-1I", "VATEX-EU-132-1I", ""},
		{"exempt", "", "", "BR-E-10 BT-120 performer/3/party vat_reason"},
		{"reverse_charge", "", "VATEX-EU-AE", ""},
		{"reverse_charge", "VATEX-FR-AE", "VATEX-FR-AE", ""},
		{"export", "VATEX-EU-G", "VATEX-EU-G", ""},
		{"exempt", "VATEX-EU-G", "VATEX-EU-G", "PEPPOL-EN16931-P0104" + misfit},
		{"exempt", "VATEX-EU-O", "VATEX-EU-O", "PEPPOL-EN16931-P0105" + misfit},
		{"exempt", "VATEX-EU-IC", "VATEX-EU-IC", "PEPPOL-EN16931-P0106" + misfit},
		{"exempt", "VATEX-EU-AE", "VATEX-EU-AE", "PEPPOL-EN16931-P0107" + misfit},
		{"export", "VATEX-EU-D", "VATEX-EU-D", "PEPPOL-EN16931-P0108" + misfit},
		{"outside", "VATEX-EU-F", "VATEX-EU-F", "PEPPOL-EN16931-P0109" + misfit},
		{"intra_community", "VATEX-EU-I", "VATEX-EU-I", "PEPPOL-EN16931-P0110" + misfit},
		{"reverse_charge", "VATEX-EU-J", "VATEX-EU-J", "PEPPOL-EN16931-P0111" + misfit},
		{"exempt", "VATEX-EU-J", "VATEX-EU-J", ""},
	} {
		s := complete(t)
		exempt(tt.category, tt.code)(&s)
		d := billing.New(s)
		if got := d.VAT[0].ExemptionCode(); got != tt.written {
			t.Errorf("%s as %q: %q is written", tt.category, tt.code, got)
		}
		if got := found(s, billing.Peppol); got != tt.want {
			t.Errorf("%s as %q: %q, want %q", tt.category, tt.code, got, tt.want)
		}
	}
}

// contract 16.90
func TestCodeIsAReasonOfExemptLinesThatItFits(t *testing.T) {
	for code, want := range map[string]string{"VATEX-EU-132-1I": "VATEX-EU-132-1I", "VATEX-EU-F": "VATEX-EU-F", "VATEX-EU-AE": ""} {
		s := complete(t)
		mixed("7", "exempt")(&s)
		s.Seller.VATReasonCode = code
		d := billing.New(s)
		for _, v := range d.VAT {
			if v.Category == billing.Exempt && v.ExemptionCode() != want || v.Category != billing.Exempt && v.ExemptionCode() != "" {
				t.Errorf("%s: %s has the code %q", code, v.Category, v.ExemptionCode())
			}
		}
		s.Credits, s.Credited = billing.Reference{Number: "1", Date: day}, &d
		s.Seller.VATReasonCode = "VATEX-EU-J"
		for _, v := range billing.New(s).VAT {
			if v.Category == billing.Exempt && v.ExemptionCode() != want {
				t.Errorf("%s: the credit note has the code %q", code, v.ExemptionCode())
			}
		}
	}
}
