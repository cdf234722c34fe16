package einvoice

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/kontor-crm/kontor/adapters/documents"
	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/test/fixture"
)

var update = flag.Bool("update", false, "rewrite the documents in testdata")

func written(t testing.TB, d billing.Document, f billing.Form) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := documents.Write(context.Background(), &out, d, f, paper.Pictures{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// contract 16.13
func TestDocumentsAreWrittenAsBefore(t *testing.T) {
	credit := plain(0, 0)
	for seed := uint64(1); len(credit.Invoice.Lines) != 3 || credit.Seller.IBAN == "" || credit.Credits.Number == ""; seed++ {
		credit = plain(seed, 0)
	}
	invoice := credit
	invoice.Credits = billing.Reference{}
	terms := invoice
	all(&terms)
	for name, doc := range map[string]billing.Document{
		"invoice": billing.New(invoice), "credit": billing.New(credit), "terms": billing.New(terms),
	} {
		for _, f := range Forms {
			path := "testdata/" + name + "-" + string(f) + ".xml"
			got := indented(t, written(t, doc, f))
			if *update {
				if err := os.WriteFile(path, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs: run with -update and compare", path)
			}
			if !bytes.Equal(written(t, doc, f), written(t, doc, f)) {
				t.Errorf("%s is another one each time", path)
			}
		}
	}
}

// contract 18.32, 18.33
func TestElectronicInvoicesHaveWhatIsPrepaidAndDueEarly(t *testing.T) {
	src := plain(0, 0)
	for seed := uint64(1); src.Credits.Number != "" || !src.Invoice.PayPrice.Exceeds(fixture.Amount("500")); seed++ {
		src = plain(seed, 0)
	}
	src.Invoice.EarlyRate, src.Invoice.EarlyUntil = fixture.Percent("2"), src.Invoice.Date.AddDate(0, 0, 10)
	src.Invoice.Trade.PaymentTerms, src.Seller.Language, src.Seller.Currency = "netto", "de", "EUR"
	src.Invoice.PayPrice, src.Invoice.OwedPrice, src.Prepaid = fixture.Amount("600"), fixture.Amount("600"), fixture.Amount("500")
	const sentence = "netto&#xA;2,00\u00a0% Skonto bei Zahlung bis 10.03.2024: 98,00<"
	const machine = "netto&#xA;#SKONTO#TAGE=10#PROZENT=2.00#&#xA;<"
	ubl := []string{`<cbc:PrepaidAmount currencyID="EUR">500.00<`, `<cbc:PayableAmount currencyID="EUR">100.00<`}
	cii := []string{"<ram:TotalPrepaidAmount>500.00<", "<ram:DuePayableAmount>100.00<"}
	for f, want := range map[billing.Form][]string{
		billing.UBL:       append(ubl, "<cac:PaymentTerms><cbc:Note>"+sentence),
		billing.Peppol:    append(ubl, "<cac:PaymentTerms><cbc:Note>"+sentence),
		billing.XRechnung: append(ubl, "<cac:PaymentTerms><cbc:Note>"+machine),
		billing.CII:       append(cii, "<ram:Description>"+sentence), billing.XRechnungCII: append(cii, "<ram:Description>"+machine),
	} {
		got := written(t, billing.New(src), f)
		for _, part := range want {
			if !bytes.Contains(got, []byte(part)) {
				t.Errorf("as %s, it has no %s", f, part)
			}
		}
	}
}

// indented breaks the lines of a document, for readers of the file, and fails unless it is well-formed.
func indented(t *testing.T, document []byte) []byte {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(document))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return append(bytes.ReplaceAll(document, []byte("><"), []byte(">\n<")), '\n')
}

func BenchmarkUBL(b *testing.B) {
	d := billing.New(Sample(1, 0))
	for b.Loop() {
		if err := documents.Write(context.Background(), io.Discard, d, billing.UBL, paper.Pictures{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCII(b *testing.B) {
	d := billing.New(Sample(1, 0))
	for b.Loop() {
		if err := documents.Write(context.Background(), io.Discard, d, billing.CII, paper.Pictures{}); err != nil {
			b.Fatal(err)
		}
	}
}
