package paper_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// has reports texts that the PDF of a document does not have as often as they should be there.
func has(t *testing.T, d billing.Document, want map[string]int) {
	t.Helper()
	pages := content(t, pdfOf(t, d, paper.Pictures{}))
	for text, n := range want {
		if got := countText(pages, text); got != n {
			t.Errorf("the PDF has %q %d times, want %d", text, got, n)
		}
	}
}

// contract 16.34
func TestFurtherPagesSayWhatTheyBelongTo(t *testing.T) {
	has(t, document(90), map[string]int{"Rechnung 2024-0003 · 05.03.2024": 2, "Nordlicht GmbH": 7, "Seite 1 von 3": 1})
	has(t, document(1), map[string]int{"Rechnung 2024-0003 · 05.03.2024": 0})
}

// contract 16.34
func TestPDFSaysWhatToWriteOnTheTransfer(t *testing.T) {
	d := document(1)
	has(t, d, map[string]int{"Verwendungszweck": 1, "Fällig am": 1, "Bankverbindung": 0})
	d.BankDetails = "IBAN DE02 1203 0000 0000 2020 51\nBIC BYLADEM1001"
	has(t, d, map[string]int{"Bankverbindung": 0})
	d.BankDetails += ", Bank of the North"
	has(t, d, map[string]int{"Bankverbindung": 1})
	d.Standing = billing.Draft
	has(t, d, map[string]int{"Verwendungszweck": 0})
	d.Standing = billing.Valid
	d.Kind, d.BankDetails, d.Account = billing.CreditNote, "", billing.Account{}
	has(t, d, map[string]int{"Verwendungszweck": 0})
}

// contract 16.34
func TestInvoiceWithoutVATHasANetAmount(t *testing.T) {
	d := document(1)
	d.Language, d.VAT = "fr", []billing.VAT{{Rate: invoice.Rate{Category: billing.ReverseCharge}, Taxable: d.Total}}
	d.Gross = d.Total
	has(t, d, map[string]int{"Total HT": 1, "TVA 0\u00a0%": 1, "Total TTC": 0, "Autoliquidation": 1})
}

// contract 16.34
func TestPagesOfADocumentThatDoesNotCountAreMarked(t *testing.T) {
	d := document(90)
	has(t, d, map[string]int{"Entwurf": 0})
	d.Standing = billing.Draft
	has(t, d, map[string]int{"Entwurf": 6}) // title, heads of two pages, and across three pages
}

// contract 16.34
func TestAddressesAreThoseOfTheirCountry(t *testing.T) {
	for country, want := range map[string][]string{
		"DE": {"02101 Boston", "MA"}, "US": {"Boston, MA 02101"}, "GB": {"Boston", "MA", "02101"},
	} {
		d := document(1)
		d.Buyer = billing.Party{Name: "x", Street: "1 Main St", City: "Boston", Zip: "02101", Region: "MA", Country: country}
		pages := content(t, pdfOf(t, d, paper.Pictures{}))
		for _, line := range want {
			if countText(pages, line) == 0 {
				t.Errorf("%s has no %s", country, line)
			}
		}
	}
}

// contract 16.34
func TestLongTextsOfThePaperContinue(t *testing.T) {
	d := document(1)
	d.Seller.Name = strings.Repeat("Gesellschaft ", 15) + "Zuletzt"
	d.Leader = "Dr. Dr. h.c. mult. Maximiliane von und zu Musterstadt-Beispielhausen"
	d.Lines[0].Unit = "Arbeitsstunden im Außendienst"
	has(t, d, map[string]int{
		"Zuletzt":        2, // of the sender and in the footer
		"Beispielhausen": 1, "3 Arbeitsstunden": 1, "im Außendienst": 1,
	})
}

// contract 16.37
func TestInvisibleCharactersAreNotPrinted(t *testing.T) {
	d := document(1)
	d.Lines[0].Name = "q\u202e\u2066\u2060\ufe0f\u00adx"
	has(t, d, map[string]int{"qx": 1})
}
