package invoice_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
)

// loaded is the invoice with only those of its lines that have the ids.
func loaded(s invoice.State, ids ...invoice.LineID) *invoice.Invoice {
	var lines []invoice.Line
	for _, l := range s.Lines {
		for _, id := range ids {
			if l.ID == id {
				lines = append(lines, l)
			}
		}
	}
	s.Lines = lines
	return invoice.Restore(s)
}

func totalsOf(inv *invoice.Invoice) string {
	s := inv.State()
	return fmt.Sprint(s.TotalCount, " ", s.TextBytes, " ", s.RateSums, " ", s.TotalPrice, " ", s.VATPrice, " ", s.PayPrice)
}

// contract 10.82
func TestInvoiceTotalsDoNotDependOnTheLinesThatAreLoaded(t *testing.T) {
	w := &writers{Rand: rand.New(rand.NewPCG(1, 2)), clock: tuesday, nextLine: 1}
	a := required()
	for range 20 {
		a.Lines = lines(append(a.Lines.Or(nil), line("Maß", w.decimal(6), w.decimal(4)))...)
	}
	inv, err := invoice.New(issuer, a, vat20, monday)
	if err != nil {
		t.Fatal(err)
	}
	for step := range 300 {
		inv = w.store(inv.State())
		s := inv.State()
		id, terms := s.Lines[w.IntN(len(s.Lines))].ID, w.terms()
		var part *invoice.Invoice
		var inFull, inPart error
		switch added, edited := w.line(), w.edit(); step % 3 {
		case 0:
			part = loaded(s)
			inFull, inPart = inv.AddLine(added, terms, tuesday), part.AddLine(added, terms, tuesday)
		case 1:
			part = loaded(s, id)
			inFull, inPart = inv.ChangeLine(id, edited, terms, tuesday), part.ChangeLine(id, edited, terms, tuesday)
		default:
			part = loaded(s, id)
			inFull, inPart = inv.RemoveLine(id, terms, tuesday), part.RemoveLine(id, terms, tuesday)
		}
		if fmt.Sprint(inFull) != fmt.Sprint(inPart) || totalsOf(inv) != totalsOf(part) {
			t.Fatalf("step %d: with all lines %v, %s\nwith the one concerned %v, %s", step, inFull, totalsOf(inv), inPart, totalsOf(part))
		}
		checkAmounts(t, inv.State())
	}
}

// contract 10.86
func TestInvoiceHeaderChangesNeedNoLines(t *testing.T) {
	full, header := invoice.Restore(stored(invoice.NotPaid)), loaded(stored(invoice.NotPaid))
	for _, a := range []invoice.Attributes{
		{PerformerID: domain.Some(performer.ID(22))},
		{Paid: domain.Some(true), Notice: domain.Some("x")},
	} {
		for _, inv := range []*invoice.Invoice{full, header} {
			if err := inv.Update(a, vat7, tuesday); err != nil {
				t.Fatal(err)
			}
		}
		if totalsOf(full) != totalsOf(header) {
			t.Errorf("with lines %s, without %s", totalsOf(full), totalsOf(header))
		}
	}
}

func TestInvoiceLinesAreReplacedOnlyIfAllAreLoaded(t *testing.T) {
	inv := loaded(stored(invoice.NotPaid), 1)
	if err := inv.Update(invoice.Attributes{Lines: lines(same(1))}, vat20, tuesday); !errors.Is(err, invoice.ErrLinesMissing) {
		t.Errorf("got %v", err)
	}
}

// contract 2.39
func TestInvoiceHasAMaximumNumberOfLines(t *testing.T) {
	const tooMany = "would give the invoice more than 10000 lines"
	many := make([]invoice.LineAttributes, invoice.MaxLines+1)
	for i := range many {
		many[i] = line("x", "1", "1")
	}
	a := required()
	a.Lines = domain.Some(many)
	_, err := invoice.New(issuer, a, vat20, monday)
	expectError(t, err, "invalid: items "+tooMany)
	a.Lines = domain.Some(many[:invoice.MaxLines])
	inv, err := invoice.New(issuer, a, vat20, monday)
	expectError(t, err, "<nil>")
	expectError(t, inv.AddLine(line("x", "1", "1"), vat20, tuesday), "invalid: invoice_id "+tooMany)

	// One that has more can only be reduced.
	s := inv.State()
	s.TotalCount++
	for i := range s.Lines {
		s.Lines[i].ID = invoice.LineID(i + 1)
	}
	s.Lines = append(s.Lines, invoice.Line{ID: invoice.MaxLines + 1, Name: "x", Count: quantity("1")})
	s.TextBytes++
	over := invoice.Restore(s)
	expectError(t, over.AddLine(line("x", "1", "1"), vat20, tuesday), "invalid: invoice_id "+tooMany)
	expectError(t, over.ChangeLine(1, invoice.LineAttributes{Name: domain.Some("y")}, vat20, tuesday), "<nil>")
	expectError(t, over.RemoveLine(1, vat20, tuesday), "<nil>")
	expectError(t, over.Update(invoice.Attributes{Lines: lines(same(2))}, vat20, tuesday), "<nil>")
}

// contract 2.39
func TestInvoiceTextsHaveAMaximumSize(t *testing.T) {
	const tooLong = "would make the texts of the invoice's lines longer than 4 MiB together"
	s := stored(invoice.NotPaid)
	s.TextBytes = invoice.MaxTextBytes - 3
	expectError(t, loaded(s).AddLine(line("Maß", "1", "1"), vat20, tuesday), "invalid: name "+tooLong) // 4 bytes
	expectError(t, loaded(s).AddLine(line("Mas", "1", "1"), vat20, tuesday), "<nil>")
	longer := invoice.LineAttributes{Units: domain.Some("boxes!!")}
	expectError(t, loaded(s, 1).ChangeLine(1, longer, vat20, tuesday), "invalid: name "+tooLong)
	a := required()
	long := strings.Repeat("x", 65_000)
	for range 65 {
		a.Lines = lines(append(a.Lines.Or(nil), line(long, "1", "1"))...)
	}
	_, err := invoice.New(issuer, a, vat20, monday)
	expectError(t, err, "invalid: items "+tooLong)

	s.TextBytes = 2 * invoice.MaxTextBytes
	expectError(t, loaded(s, 1).ChangeLine(1, invoice.LineAttributes{Name: domain.Some("pen")}, vat20, tuesday), "<nil>")
	expectError(t, loaded(s, 1).ChangeLine(1, longer, vat20, tuesday), "invalid: name "+tooLong)
	expectError(t, loaded(s, 1).RemoveLine(1, vat20, tuesday), "<nil>")
}

func expectError(t *testing.T, err error, want string) {
	t.Helper()
	if got := fmt.Sprint(err); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
