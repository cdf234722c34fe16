package query_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// inputs is an invoice with the cells by path, and equal lines; of a credit note, after some that have been credited.
type inputs struct {
	cells         map[string]string
	lines, former int
	adjusted      string // the path of a list with an adjustment
}

func (in inputs) Read(_ context.Context, _ int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	return in.rows(s, "", 1), nil
}

// rows are as many equal ones, whose cells have names with the prefix.
func (in inputs) rows(s *readmodel.Selection, prefix string, count int) *readmodel.Rows {
	rows := readmodel.NewRows(len(s.Paths))
	for range count {
		for i, path := range s.Paths {
			if inner := s.Lists[i]; inner != nil {
				n := map[string]int{"items": in.lines, "former": in.former, in.adjusted: 1}[prefix+path]
				rows.AppendList(in.rows(inner, prefix+path+".", n))
			} else {
				rows.Append([]byte(in.cells[prefix+path]))
			}
		}
	}
	return rows
}

// inputsWith are those of an invoice with VAT; one cell differs.
func inputsWith(path, cell string, lines int) inputs {
	cells := map[string]string{
		"id": "1", "version": "3", "vat_use": "t", "vat_percent": "20.00",
		"items.id": "7", "items.name": "x", "items.count": "2.000000", "items.price": "1.5000", "items.total_price": "3.0000",
		"discount_percent": "0.00", "items.discount_percent": "0.00",
	}
	cells[path] = cell
	return inputs{cells: cells, lines: lines}
}

func explanation(t *testing.T, fields string) *readmodel.Selection {
	t.Helper()
	s, err := query.Select(readmodel.InvoiceExplanations, query.Parameters{Fields: domain.Some(fields), Record: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func explain(ctx context.Context, t *testing.T, from query.RecordReader, fields string) (*readmodel.Rows, error) {
	t.Helper()
	return query.NewInvoiceExplanations(from).Read(ctx, 1, explanation(t, fields))
}

// contract 10.108
func TestInvoiceExplanationRejectsCellsThatAreNoNumbers(t *testing.T) {
	for _, path := range []string{"vat_percent", "discount_percent", "items.count", "items.price", "items.discount_percent", "items.base_count", "items.total_price"} {
		if _, err := explain(t.Context(), t, inputsWith(path, "x", 1), ""); err == nil || fault.As(err) != nil {
			t.Errorf("%s: the error is %v, want an unexpected one", path, err)
		}
	}
	for _, list := range []string{"adjustments", "former_adjustments", "items.adjustments"} {
		adjusted := inputsWith(list+".amount", "x", 1)
		adjusted.adjusted = list
		if _, err := explain(t.Context(), t, adjusted, ""); err == nil || fault.As(err) != nil {
			t.Errorf("%s: the error is %v, want an unexpected one", list, err)
		}
	}
	for _, path := range []string{"former.vat_percent", "former.count", "former.total_price"} {
		note := creditNote()
		note.cells[path] = "x"
		if _, err := explain(t.Context(), t, note, ""); err == nil || fault.As(err) != nil {
			t.Errorf("%s: the error is %v, want an unexpected one", path, err)
		}
	}
	if _, err := explain(t.Context(), t, recordsUpTo(0), ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("of no invoice: %v", err)
	}
}

// contract 10.106
func TestInvoiceExplanationLimitsTheSizeOfSelectedLines(t *testing.T) {
	long := inputsWith("items.name", strings.Repeat("x", 1<<20), 17)
	if _, err := explain(t.Context(), t, long, "total_price"); err != nil {
		t.Errorf("without the lines: %v", err)
	}
	if _, err := explain(t.Context(), t, long, ""); !errors.Is(err, readmodel.ErrTooLarge) {
		t.Errorf("the error is %v, want %v", err, readmodel.ErrTooLarge)
	}
}

func TestInvoiceExplanationHasTheAmountsOfAllLines(t *testing.T) {
	for _, c := range []struct{ vatUse, fields, total, vat string }{
		{"t", "", "6.0000", "1.2000"},
		{"f", "", "6.0000", "0.0000"},
		{"t", "total_price", "6.0000", ""}, // the lines are not shown
	} {
		rows, err := explain(t.Context(), t, inputsWith("vat_use", c.vatUse, 2), c.fields)
		if err != nil {
			t.Fatal(err)
		}
		got := texts(rows, explanation(t, c.fields))
		if got["total_price.result"] != c.total || got["vat_price.result"] != c.vat {
			t.Errorf("%+v: it has %v", c, got)
		}
	}
}

// creditNote is the second credit note for a line of 3 at 0.335.
func creditNote() inputs {
	note := inputsWith("items.credits", "5", 1)
	maps.Copy(note.cells, map[string]string{
		"digits": "2", "items.count": "-1.000000", "items.price": "0.3350", "items.total_price": "-0.3300",
		"former.id": "5", "former.count": "-1.000000", "former.total_price": "-0.3400",
		"former.vat_category": "standard", "former.vat_percent": "20.00", "items.vat_category": "standard", "items.vat_percent": "20.00",
	})
	note.former = 1
	return note
}

// contract 10.108
func TestExplanationOfACreditNoteIsThatOfItsPart(t *testing.T) {
	rows, err := explain(t.Context(), t, creditNote(), "")
	if err != nil {
		t.Fatal(err)
	}
	got := texts(rows, explanation(t, ""))
	if got["total_price.result"] != "-0.3300" || got["vat_price.formula"] != "round((total_price - 0.3400) * vat_percent / 100) + 0.0700" ||
		got["vat_price.result"] != "-0.0600" || got["pay_price.result"] != "-0.3900" {
		t.Errorf("it has %v", got)
	}
	s := explanation(t, "vat")
	if rows, err = explain(t.Context(), t, creditNote(), "vat"); err != nil {
		t.Fatal(err)
	}
	at := slices.Index(s.Paths, "vat")
	rate := texts(rows.List(0, at), s.Lists[at])
	if rate["vat_category"] != "standard" || rate["vat_percent"] != "20.00" || rate["total_price.result"] != "-0.3300" {
		t.Errorf("its rate has %v", rate)
	}
}

// texts are the cells of the first row that are not null, by path.
func texts(rows *readmodel.Rows, s *readmodel.Selection) map[string]string {
	all := map[string]string{}
	for i, path := range s.Paths {
		if cell, ok := rows.Cell(0, i); ok {
			all[path] = string(cell)
		}
	}
	return all
}
