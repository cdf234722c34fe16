package paper_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func amount(text string) money.Amount { return must(money.ParseAmount(text)) }

// document returns a German invoice with so many lines, each of 1,049.70.
func document(lines int) billing.Document {
	day := time.Date(2024, 3, 5, 0, 0, 0, 0, time.UTC)
	d := billing.Document{
		Number: "2024-0003", Date: day, Due: day.AddDate(0, 0, 14), Currency: "EUR", Language: "de", Notice: "Vielen Dank für Ihren Auftrag.",
		BuyerReference: "04011000-1234512345-06",
		Seller: billing.Party{
			Name: "Nordlicht GmbH", TradingName: "Nordlicht Books", Street: "Hafen 1", Zip: "24103", City: "Kiel", Country: "DE",
			VATID: "DE123456788", TaxNumber: "20/123/45678", ContactName: "Ann Lee", ContactPhone: "+49 431 1", ContactEmail: "ann@example.org",
		},
		Buyer: billing.Party{
			Name: "Łódzka Księgarnia Żółw", Street: "ul. Piotrkowska 1", Zip: "90-001", City: "Łódź", Country: "PL", VATID: "PL5260001246",
		},
		Leader: "Анна Ли", LeaderRank: "Geschäftsführerin", Booker: "Νίκος Παπάς",
		Account: billing.Account{Holder: "Nordlicht GmbH", IBAN: "DE02120300000000202051", BIC: "BYLADEM1001"},
	}
	rate := invoice.Rate{Category: billing.Standard, Percent: must(money.ParsePercent("19"))}
	for i := range lines {
		d.Lines = append(d.Lines, billing.Line{
			Name: fmt.Sprintf("Buch %d", i+1), Unit: "Stk.", Count: must(money.ParseQuantity("3")), Price: amount("349.9"), Total: amount("1049.7"), VAT: rate,
		})
		d.Total = d.Total.Plus(amount("1049.7"))
	}
	d.Net, d.Tax = d.Total, amount("199.44")
	d.VAT = []billing.VAT{{Rate: rate, Taxable: d.Total, Amount: d.Tax}}
	d.Gross = d.Net.Plus(d.Tax)
	d.Rounding, d.AmountDue = amount("-0.01"), d.Gross.Minus(amount("0.01"))
	return d
}

func picture(w, h int) image.Image {
	m := image.NewNRGBA64(image.Rect(0, 0, w, h))
	for i := range w * h {
		m.Set(i%w, i/w, color.NRGBA64{uint16(i * 7), 0x2000, 0x9000, 0xFFFF})
	}
	return m
}

func pictures(t *testing.T) (p paper.Pictures) {
	t.Helper()
	var deep, photo bytes.Buffer
	if err := png.Encode(&deep, picture(200, 80)); err != nil { // 16 bits
		t.Fatal(err)
	}
	if err := jpeg.Encode(&photo, picture(90, 90), nil); err != nil {
		t.Fatal(err)
	}
	logo := uploaded(t, deep.Bytes())
	return paper.Pictures{Logo: logo, Stamp: uploaded(t, photo.Bytes()), LeaderSignature: logo}
}

// uploaded returns a picture as it is stored.
func uploaded(t *testing.T, data []byte) []byte {
	t.Helper()
	p, err := performer.NewPicture(performer.Logo, http.DetectContentType(data), data)
	if err != nil {
		t.Fatal(err)
	}
	return p.Data
}

func pdfOf(t *testing.T, d billing.Document, p paper.Pictures) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := paper.WritePDF(t.Context(), &b, d, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// content returns the instructions of all pages of a PDF.
func content(t *testing.T, pdf []byte) []byte {
	t.Helper()
	var all bytes.Buffer
	for _, part := range bytes.Split(pdf, []byte("\nstream\n"))[1:] {
		inflated, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue // a stream that is not compressed
		}
		_, _ = io.Copy(&all, inflated)
	}
	return all.Bytes()
}

// countText returns how often the PDF's content has a text of its fonts, whose characters have two bytes.
func countText(content []byte, text string) int {
	var bytesOf []byte
	for _, c := range utf16.Encode([]rune(text)) {
		bytesOf = append(bytesOf, byte(c>>8), byte(c))
	}
	return bytes.Count(content, bytesOf)
}

// contract 16.34
func TestPDFHasThePartiesLinesAndTotals(t *testing.T) {
	pages := content(t, pdfOf(t, document(2), pictures(t)))
	for _, text := range []string{
		"Rechnung 2024-0003", "Nordlicht GmbH", "Łódzka Księgarnia Żółw", "90-001 Łódź", "Polen", "05.03.2024", "19.03.2024", "04011000-1234512345-06", "PL5260001246",
		"Buch 2", "3 Stk.", "349,90", "1.049,70", "2.099,40", "USt. 19\u00a0%", "199,44", "-0,01", "2.298,83 EUR", "DE02 1203 0000 0000 2020 51", "BYLADEM1001",
		"Vielen Dank für Ihren Auftrag.", "Анна Ли", "Νίκος Παπάς", "Steuernummer 20/123/45678", "Seite 1 von 1",
	} {
		if countText(pages, text) == 0 {
			t.Errorf("the PDF has no %s", text)
		}
	}
	if countText(pages, "Übertrag") != 0 {
		t.Error("one page carries a sum")
	}
}

// contract 18.32, 18.33
func TestPaperHasWhatIsPrepaidAndDueEarly(t *testing.T) {
	d := document(2)
	d.Prepaid, d.AmountDue = amount("1298.83"), amount("1000")
	d.Early = billing.EarlyPayment{Percent: must(money.ParsePercent("2.5")), Until: d.Date.AddDate(0, 0, 10), Amount: amount("975")}
	for language, want := range map[string][]string{
		"en": {"2.50\u00a0% discount if paid by 15 Mar 2024: 975.00", "Already paid", "-1,298.83", "Amount due", "1,000.00 EUR"},
		"de": {"2,50\u00a0% Skonto bei Zahlung bis 15.03.2024: 975,00", "Bereits bezahlt", "-1.298,83", "Zahlbetrag", "1.000,00 EUR"},
		"fr": {"Escompte de 2,50\u00a0% pour paiement au plus tard le 15/03/2024\u00a0: 975,00", "Déjà payé"},
		"pl": {"Skonto 2,50\u00a0% przy płatności do 15.03.2024: 975,00", "Zapłacono"},
		"ru": {"Скидка 2,50\u00a0% при оплате не позднее 15.03.2024: 975,00", "Уже оплачено"},
	} {
		d.Language = language
		var page bytes.Buffer
		if err := paper.WriteHTML(&page, d, paper.Pictures{}); err != nil {
			t.Fatal(err)
		}
		printed := content(t, pdfOf(t, d, paper.Pictures{}))
		for _, text := range want {
			if countText(printed, text) != 1 || strings.Count(page.String(), text) != 1 {
				t.Errorf("in %s, %q is in the PDF %d and in HTML %d times", language, text, countText(printed, text), strings.Count(page.String(), text))
			}
		}
	}
	d.Prepaid, d.Early = money.Amount{}, billing.EarlyPayment{}
	if countText(content(t, pdfOf(t, d, paper.Pictures{})), "Уже оплачено") != 0 || paper.EarlyPayment(d) != "" {
		t.Error("a document without both has one")
	}
}

// contract 16.34
func TestPDFCarriesTheSumFromPageToPage(t *testing.T) {
	pages := content(t, pdfOf(t, document(90), paper.Pictures{}))
	for text, want := range map[string]int{"Seite 3 von 3": 1, "Übertrag": 4, "29.391,60": 2, "71.379,60": 2, "Bezeichnung": 3, "Buch 30": 1, "Buch 90": 1} {
		if got := countText(pages, text); got != want {
			t.Errorf("the PDF has %s %d times", text, got)
		}
	}
}

// contract 16.34
func TestBankDetailsContinueOnTheNextPage(t *testing.T) {
	for lines := range 30 {
		d := document(lines)
		d.Account, d.Notice, d.Leader, d.Booker = billing.Account{}, "", "", ""
		for i := range 14 {
			d.BankDetails += fmt.Sprintf("detail %d.\n", i)
		}
		pages := content(t, pdfOf(t, d, paper.Pictures{}))
		const footer = 271 // mm from the top
		for i := range 14 {
			if countText(pages, fmt.Sprintf("detail %d.", i)) != 1 {
				t.Errorf("an invoice of %d lines lacks line %d of the bank details", lines, i)
			}
		}
		texts := regexp.MustCompile(`BT [0-9.]+ (-?[0-9.]+) Td`).FindAllSubmatch(pages, -1)
		for _, at := range texts {
			if y := (841.89 - must(strconv.ParseFloat(string(at[1]), 64))) / 72 * 25.4; y > 263 && y < footer || y > 290 {
				t.Errorf("an invoice of %d lines has a text %.0f mm from the top", lines, y)
			}
		}
	}
}

// ending is a context that ends after its error was asked for some times.
type ending struct {
	context.Context
	left int
}

func (c *ending) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// contract 2.39
func TestPDFThatNobodyWaitsForEndsWithItsPage(t *testing.T) {
	ctx := &ending{t.Context(), 2}
	var b bytes.Buffer
	if err := paper.WritePDF(ctx, &b, document(10_000), paper.Pictures{}); !errors.Is(err, context.Canceled) || b.Len() > 0 {
		t.Errorf("%v, after %d bytes", err, b.Len())
	}
	if ctx.left < -2 {
		t.Errorf("%d pages are begun after the end", -ctx.left-1)
	}
}

// contract 16.35
func TestSameDocumentIsTheSamePDF(t *testing.T) {
	first, second := pdfOf(t, document(40), pictures(t)), pdfOf(t, document(40), pictures(t))
	if !bytes.Equal(first, second) {
		t.Error("two PDFs of one document differ")
	}
}

// contract 16.35
func TestPicturesOfOneWidthAreInOneOrder(t *testing.T) {
	var p [4][]byte
	for i := range p {
		var b bytes.Buffer
		if err := png.Encode(&b, picture(20, 10+i)); err != nil {
			t.Fatal(err)
		}
		p[i] = uploaded(t, b.Bytes())
	}
	all := paper.Pictures{Logo: p[0], Stamp: p[1], LeaderSignature: p[2], BookerSignature: p[3]}
	first := pdfOf(t, document(1), all)
	for range 20 {
		if !bytes.Equal(pdfOf(t, document(1), all), first) {
			t.Fatal("two PDFs with the same pictures differ")
		}
	}
}

// contract 16.23
func TestPDFShowsEveryPictureThatCanBeDecoded(t *testing.T) {
	encoded := func(m image.Image) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	bounds := image.Rect(0, 0, 20, 10)
	blank := image.NewNRGBA(bounds)
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, blank, nil); err != nil {
		t.Fatal(err)
	}
	rgb := bytes.Clone(photo.Bytes()) // the components of the frame and of the scan have other names
	frame, scan := bytes.Index(rgb, []byte("\xff\xc0")), bytes.Index(rgb, []byte("\xff\xda"))
	for i, component := range []byte("RGB") {
		rgb[frame+10+3*i], rgb[scan+5+2*i] = component, component
	}
	const afterHeader = 33
	withChunk := func(chunk string) []byte {
		checked := binary.BigEndian.AppendUint32([]byte(chunk), crc32.ChecksumIEEE([]byte(chunk[4:])))
		return slices.Concat(encoded(blank)[:afterHeader], checked, encoded(blank)[afterHeader:])
	}
	for name, data := range map[string][]byte{
		"gray": encoded(image.NewGray(bounds)), "gray of 16 bits": encoded(image.NewGray16(bounds)), "transparent": encoded(blank),
		"a palette with transparent colours": encoded(image.NewPaletted(bounds, color.Palette{color.Transparent, color.White})),
		"an empty chunk":                     withChunk("\x00\x00\x00\x00tEXt"), "an odd resolution": withChunk("\x00\x00\x00\x01pHYsx"),
		"JPEG": photo.Bytes(), "JPEG in RGB": rgb,
	} {
		if _, _, err := image.Decode(bytes.NewReader(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Contains(pdfOf(t, document(1), paper.Pictures{Logo: uploaded(t, data)}), []byte("/Subtype /Image")) {
			t.Errorf("%s is not in the PDF", name)
		}
	}
}

// contract 16.37
func TestPDFIsWrittenForAnyText(t *testing.T) {
	d := document(3)
	d.Number, d.Due, d.Notice = "", time.Time{}, strings.Repeat("no space in this text", 200)
	d.Lines[0].Name = "😀 漢字 \x00\x01\u200b e\u0301 \ttab"
	d.Lines[1].Name = strings.Repeat("a long name of a line\n", 400)
	d.Lines[1].Unit = strings.Repeat("unit", 60)
	d.Seller, d.Buyer = billing.Party{}, billing.Party{Name: "x", Address: "1\n2\r\n3", Country: "??"}
	if countText(content(t, pdfOf(t, d, paper.Pictures{})), "□ 漢字  é  tab") != 1 {
		t.Error("the PDF has no line with the printable characters")
	}
}

func TestPDFRefusesABrokenPicture(t *testing.T) {
	for _, data := range []string{"\x89PNG", "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 40), "not a picture"} {
		if err := paper.WritePDF(t.Context(), io.Discard, document(1), paper.Pictures{Logo: []byte(data)}); err == nil {
			t.Errorf("%q is a picture", data)
		}
	}
}

// contract 16.36
func TestHTMLSaysTheSameAndEscapesTexts(t *testing.T) {
	d := document(2)
	d.Lines[0].Name = "<script>alert(1)</script>"
	d.Kind, d.Credits = billing.CreditNote, billing.Reference{Number: "2024-0001", Date: d.Date}
	d.VAT = []billing.VAT{{Rate: invoice.Rate{Category: billing.ReverseCharge}, Taxable: d.Total}}
	var b strings.Builder
	if err := paper.WriteHTML(&b, d, pictures(t)); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, text := range []string{
		"<h1>Rechnungskorrektur 2024-0003</h1>", "2024-0001 05.03.2024", "&lt;script&gt;alert(1)&lt;/script&gt;", "Steuerschuldnerschaft des Leistungsempfängers",
		"<dd>2.298,83 EUR</dd>", "<dt>USt. 0\u00a0%</dt><dd>0,00</dd>", "Łódzka", `<img class="logo" src="data:image/png;base64,`, `<img class="stamp" src="data:image/jpeg;base64,`, `<html lang="de">`,
	} {
		if !strings.Contains(page, text) {
			t.Errorf("the page has no %s", text)
		}
	}
	if strings.Contains(page, "<script") {
		t.Error("the page has a script")
	}
	style, _, _ := strings.Cut(page[strings.Index(page, "<style>")+len("<style>"):], "</style>")
	hash := sha256.Sum256([]byte(style))
	if !strings.Contains(paper.ContentSecurityPolicy, base64.StdEncoding.EncodeToString(hash[:])) {
		t.Error("the policy does not allow the page its style")
	}
}

func BenchmarkPDF(b *testing.B) {
	for _, lines := range []int{20, 200, 10_000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			d := document(lines)
			b.ReportAllocs()
			for b.Loop() {
				if err := paper.WritePDF(b.Context(), io.Discard, d, paper.Pictures{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
