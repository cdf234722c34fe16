package pgstore_test

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/workload"
)

// billing adds a deal and an invoice with lines, stores what is derived from them, and then
// runs next.
func billing(o fixture.Office, next func() error) func(ctx context.Context, s repository.Stores) error {
	return func(ctx context.Context, s repository.Stores) error {
		if _, err := s.Deals.Add(ctx, fixture.Must(deal.New(o.Manager, o.Default, fixture.Deal(o.Client, o.DealType), fixture.At))); err != nil {
			return err
		}
		id, err := s.Invoices.Add(ctx, fixture.Must(invoice.New(o.Manager, fixture.Invoice(o), performer.Terms{}, fixture.At)))
		if err != nil {
			return err
		}
		if _, err := s.View.Read(ctx, readmodel.Invoices, int64(id), &readmodel.Selection{Paths: []string{"id"}, Type: -1}); err != nil {
			return err
		}
		return next()
	}
}

// contract 4.99
func TestDryRunsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	meta := repository.Meta{UserID: c.Office.Manager, At: fixture.At, DryRun: true}
	finish := func() error { return nil }
	err := c.Tx.Do(t.Context(), meta, billing(c.Office, func() error {
		return c.Tx.Do(t.Context(), meta, billing(c.Office, finish)) // while the other one is open
	}))
	if err != nil {
		t.Errorf("the dry runs end with %v", err)
	}
}
