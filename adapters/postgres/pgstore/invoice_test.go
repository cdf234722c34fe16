package pgstore_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/workload"
)

// issued stores an invoice with that number of lines.
func issued(c workload.Company, lines int) invoice.ID {
	c.T.Helper()
	a := fixture.Invoice(c.Office)
	all := make([]invoice.LineAttributes, lines)
	for i := range all {
		all[i] = fixture.Line(fmt.Sprint("Maß ", i))
	}
	a.Lines = domain.Some(all)
	var ids []invoice.ID
	do(c, workload.Adding(&ids, workload.Invoices, fixture.Must(invoice.New(c.Office.Manager, a, performer.Terms{}, fixture.At))))
	return ids[0]
}

// An older program stores lines without their size of texts.
//
// contract 2.39
func TestInvoiceTextSizeIsComputedAfterAnOlderProgram(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	id := issued(c, 3)
	size := func() (bytes int) {
		t.Helper()
		do(c, func(ctx context.Context, s repository.Stores) error {
			inv, err := s.Invoices.LockHeader(ctx, id)
			if err == nil {
				bytes = inv.State().TextBytes
			}
			return err
		})
		return bytes
	}
	before := size()
	if want := c.Number("select sum(octet_length(name) + coalesce(octet_length(units), 0)) from invoice_lines"); int64(before) != want {
		t.Errorf("the texts have %d bytes, want %d", before, want)
	}
	c.Execute("update invoice_lines set name = name || '12345'", "update invoices set version = version + 1")
	if got := size(); got != before+15 {
		t.Errorf("after an older program, the texts have %d bytes, want %d", got, before+15)
	}
	c.Execute("update invoices set text_bytes = null, text_bytes_version = null")
	if got := size(); got != before+15 {
		t.Errorf("after the migration, the texts have %d bytes, want %d", got, before+15)
	}
}
