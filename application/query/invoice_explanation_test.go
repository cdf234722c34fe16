package query_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/caller"
	"github.com/kontor-crm/kontor/ports/membudget"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// inputs is an invoice with the cells by path, and equal lines.
type inputs struct {
	cells map[string]string
	lines int
}

func (in inputs) Read(_ context.Context, _ int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	rows := readmodel.NewRows(len(s.Paths))
	for i, path := range s.Paths {
		if s.Lists[i] == nil {
			rows.Append([]byte(in.cells[path]))
			continue
		}
		lines := readmodel.NewRows(len(s.Lists[i].Paths))
		for range in.lines {
			for _, path := range s.Lists[i].Paths {
				lines.Append([]byte(in.cells["items."+path]))
			}
		}
		rows.AppendList(lines)
	}
	return rows, nil
}

// inputsWith are those of an invoice with VAT; one cell differs.
func inputsWith(path, cell string, lines int) inputs {
	cells := map[string]string{
		"id": "1", "version": "3", "vat_use": "t", "vat_percent": "20.00",
		"items.id": "7", "items.name": "x", "items.count": "2.000000", "items.price": "1.5000",
	}
	cells[path] = cell
	return inputs{cells, lines}
}

func explain(ctx context.Context, t *testing.T, from query.Records, fields string) (*readmodel.Rows, error) {
	t.Helper()
	s, err := query.Select(readmodel.InvoiceExplanations, query.Parameters{Fields: optional.Some(fields), Record: true})
	if err != nil {
		t.Fatal(err)
	}
	return query.NewInvoiceExplanations(from).Read(ctx, 1, s)
}

// contract 10.108
func TestInvoiceExplanationRejectsCellsThatAreNoNumbers(t *testing.T) {
	for _, path := range []string{"vat_percent", "items.count", "items.price"} {
		if _, err := explain(t.Context(), t, inputsWith(path, "x", 1), ""); err == nil || fault.As(err) != nil {
			t.Errorf("%s: the error is %v, want an unexpected one", path, err)
		}
	}
	if _, err := explain(t.Context(), t, recordsUpTo(0), ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("of no invoice: %v", err)
	}
}

// contract 10.109
func TestInvoiceExplanationCountsTheMemoryOfSelectedLines(t *testing.T) {
	budget := membudget.Budget{Share: 100}
	reservation := budget.Reservation(caller.Key{})
	defer reservation.Set(0)
	ctx := context.WithValue(t.Context(), membudget.Key{}, &reservation)
	long := inputsWith("items.name", strings.Repeat("x", 1<<20), 17)
	if _, err := explain(ctx, t, long, "total_price"); err != nil || budget.Held() > 0 {
		t.Errorf("without the lines: %v, and %d bytes are counted", err, budget.Held())
	}
	if _, err := explain(ctx, t, long, ""); !errors.Is(err, membudget.ErrTooManyRows) {
		t.Errorf("the error is %v, want %v", err, membudget.ErrTooManyRows)
	}
}
