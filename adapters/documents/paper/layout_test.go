package paper_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
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

// contract 16.90
func TestDocumentPrintsTheCodeOfAReasonWithoutText(t *testing.T) {
	d := document(1)
	d.VAT = []billing.VAT{{Rate: invoice.Rate{Category: billing.Exempt}, ReasonCode: "VATEX-EU-132-1I"}}
	has(t, d, map[string]int{"VATEX-EU-132-1I": 1, "Steuerfrei": 1})
	d.VAT[0].Reason = "§ 4 Nr. 21 UStG"
	has(t, d, map[string]int{"§ 4 Nr. 21 UStG": 1, "VATEX": 0})
}

// contract 16.34
func TestDocumentPrintsDiscountsAndVATByRate(t *testing.T) {
	d := document(2)
	reduced := invoice.Rate{Category: billing.Standard, Percent: must(money.ParsePercent("7"))}
	exempt := invoice.Rate{Category: billing.Exempt}
	d.Lines[0].Adjustments = []billing.Adjustment{
		{IsDiscount: true, Percent: must(money.ParsePercent("12.5")), Amount: amount("3")},
		{IsCharge: true, Reason: "Bruchsicher", Amount: amount("3")},
	}
	d.Adjustments = []billing.Adjustment{
		{IsDiscount: true, Percent: must(money.ParsePercent("10")), Amount: amount("200.94")},
		{IsDiscount: true, Percent: must(money.ParsePercent("10")), Amount: amount("9"), VAT: reduced},
		{IsCharge: true, Reason: "Fracht", Amount: amount("4.95"), VAT: reduced},
		{Reason: "Treuebonus", Percent: must(money.ParsePercent("2")), Base: amount("247.5"), Amount: amount("4.95"), VAT: exempt},
	}
	d.Lines[1].BaseCount = must(money.ParseQuantity("100"))
	d.Lines[1].VAT = exempt
	d.Lines[1].Item = invoice.Item{Description: "Eiche, geölt", ItemNumber: "B-12", Note: "wie besprochen", PeriodTo: "2024-02-29"}
	d.VAT = append(d.VAT, billing.VAT{Rate: reduced, Taxable: amount("20")}, billing.VAT{Rate: exempt, Taxable: amount("30"), Reason: "§ 4 Nr. 21 UStG"})
	d.Net = d.Total.Minus(amount("209.94"))
	want := map[string]int{
		"USt. 19\u00a0% · Rabatt 12,5\u00a0% · Bruchsicher 3,00": 1, "Fracht": 1, "4,95": 2, "Treuebonus 2\u00a0%": 1, " / 100": 1, "Eiche, geölt": 1, "Art.-Nr. B-12 · 29.02.2024 · Steuerfrei": 1, "wie besprochen": 1, "Summe der Positionen": 1, "Rabatt 10\u00a0%": 1, "-209,94": 1,
		"USt. 7\u00a0% auf 20,00": 1, "USt. 0\u00a0% auf 30,00": 1, "§ 4 Nr. 21 UStG": 1, "Gesamtbetrag": 1,
	}
	has(t, d, want)
	page := htmlOf(t, d)
	for text := range want {
		if !strings.Contains(page, text) {
			t.Errorf("the HTML has no %q", text)
		}
	}
}

// contract 16.34, 16.83
func TestDocumentPrintsItsTerms(t *testing.T) {
	d := document(1)
	d.Trade = invoice.TradeTerms{
		DeliveryDate: "2024-03-01", PeriodFrom: "2024-02-01", PeriodTo: "2024-02-29", OrderReference: "B-77", SalesOrder: "A-1", Contract: "V-9",
		Project: "Umbau", DeliveryName: "Lager Süd", DeliveryZip: "24105", DeliveryCity: "Kiel", DeliveryCountry: "DE", PaymentTerms: "2 % Skonto",
		Remittance: "RF18",
	}
	want := map[string]int{
		"01.03.2024": 1, "01.02.2024 – 29.02.2024": 1, "B-77": 1, "A-1": 1, "V-9": 1, "Umbau": 1, "2 % Skonto": 1, "RF18": 1, "Leistungszeitraum": 1,
	}
	has(t, d, want)
	page := htmlOf(t, d)
	for text := range want {
		if !strings.Contains(page, text) {
			t.Errorf("the HTML has no %q", text)
		}
	}
	if !strings.Contains(page, "Lager Süd, 24105 Kiel, DE") {
		t.Error("the HTML has no address of the delivery")
	}
}

// contract 16.91
func TestDocumentPrintsWhatPartiesKnowEachOtherBy(t *testing.T) {
	d := document(1)
	d.Seller.ID, d.Buyer.ID, d.Seller.LegalText = "L-1", "K-7", "Sitz: Kiel\nAmtsgericht Kiel"
	d.Account = billing.Account{Holder: "Ada", Number: "12 34", BIC: "BYLADEM1001"}
	want := map[string]int{
		"Kundennummer": 1, "K-7": 1, "Lieferantennummer": 1, "L-1": 1, "Sitz: Kiel · Amtsgericht Kiel": 1, "Kontonummer": 1, "12 34": 1, "Verwendungszweck": 1,
	}
	has(t, d, want)
	page := htmlOf(t, d)
	for text := range want {
		if !strings.Contains(page, text) {
			t.Errorf("the HTML has no %q", text)
		}
	}
	d.BankDetails = "BIC BYLADEM1001, 1234"
	has(t, d, map[string]int{"Bankverbindung": 0})
}

// contract 16.91
func TestLongLegalTextLeavesRoom(t *testing.T) {
	d := document(60)
	d.Seller.LegalText = strings.Repeat("WWWW ", 204)
	if n := countText(content(t, pdfOf(t, d, paper.Pictures{})), "Seite "); n < 2 || n > 6 {
		t.Errorf("it takes %d pages", n)
	}
}

// contract 16.93, 16.95
func TestDocumentPrintsItsMeansOfPaymentAndNotes(t *testing.T) {
	d := document(1)
	d.Account = billing.Account{}
	d.Trade = invoice.TradeTerms{
		PaymentMeans: "59", Mandate: "M-1", CreditorID: "DE98ZZZ09999999999", DebitedIBAN: "DE02500105170137075030", CardNumber: "9876",
		Notes: party.NotesOf([]party.Note{{Text: "Es gelten unsere AGB", SubjectCode: "AAI"}}),
	}
	want := map[string]int{
		"Zahlungsart": 1, "Lastschrift": 1, "M-1": 1, "DE98ZZZ09999999999": 1, "DE02 5001 0517 0137 0750 30": 1, "Es gelten unsere AGB": 1,
	}
	check := func() {
		t.Helper()
		has(t, d, want)
		page := htmlOf(t, d)
		for text, n := range want {
			if strings.Contains(page, text) != (n > 0) {
				t.Errorf("the HTML has %q: %t", text, n == 0)
			}
		}
	}
	want["9876"], want["Verwendungszweck"] = 0, 0
	check()
	d.Trade.PaymentMeans, d.Trade.PaymentMeansText, d.Trade.CardHolder = "48", "Mit Karte", "Ada"
	want = map[string]int{"Mit Karte": 1, "… 9876 Ada": 1, "M-1": 0, "DE98ZZZ09999999999": 0, "Lastschrift": 0}
	check()
}

func htmlOf(t *testing.T, d billing.Document) string {
	t.Helper()
	var page strings.Builder
	if err := paper.WriteHTML(&page, d, paper.Pictures{}); err != nil {
		t.Fatal(err)
	}
	return page.String()
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
	d = document(300)
	for i := range d.Lines {
		d.Lines[i].Item = invoice.Item{Description: strings.Repeat("Eiche, massiv und geölt\n", i%60) + "Schluss", Note: "Anmerkung"}
	}
	has(t, d, map[string]int{"geölt": 5 * 59 * 30, "Schluss": 300, "Anmerkung": 300})
}

// contract 16.37
func TestInvisibleCharactersAreNotPrinted(t *testing.T) {
	d := document(1)
	d.Lines[0].Name = "q\u202e\u2066\u2060\ufe0f\u00ad\u034f\ufffc\u3164x"
	d.Lines[0].Item.Description = "q\u1680\u205f\u3000z"
	has(t, d, map[string]int{"qx": 1, "q   z": 1})
}

// contract 16.34, 16.37
func TestAccentsBreakNoLineAndBoxesDo(t *testing.T) {
	d := document(1)
	d.Lines[0].Name = "за\u0301мок, x\u030cq\u0303"
	d.Lines[0].Item.Description = strings.Repeat("中", 100)
	has(t, d, map[string]int{d.Lines[0].Name: 1, strings.Repeat("中", 20): 3, d.Lines[0].Item.Description: 0})
}
