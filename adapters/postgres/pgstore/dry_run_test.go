package pgstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
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

// tryAs runs a dry run by a user.
func (s store) tryAs(o fixture.Office, fn func(ctx context.Context, s repository.Stores) error) error {
	return s.Do(s.t.Context(), repository.Meta{UserID: o.Manager, At: fixture.At, DryRun: true}, fn)
}

// contract 4.96, 4.97
func TestDryRunAddsNothing(t *testing.T) {
	eachSample(t, func(s store, r record, o fixture.Office) {
		var tried int64
		err := s.tryAs(o, func(ctx context.Context, st repository.Stores) (err error) {
			if tried, err = r.add(ctx, st); err != nil {
				return err
			}
			return r.lock(ctx, st, tried)
		})
		if err != nil || tried < readmodel.FirstPlaceholder {
			s.t.Fatalf("the dry run gives the id %d and ends with %v", tried, err)
		}
		s.rejects(0, fault.NotFound, func(ctx context.Context, st repository.Stores) error { return r.lock(ctx, st, tried) })
		if stored := s.added(o, r); stored >= readmodel.FirstPlaceholder {
			s.t.Errorf("the stored record has the id %d", stored)
		}
	})
}

// contract 4.96
func TestDryRunChangesAndRemovesNothing(t *testing.T) {
	eachSample(t, func(s store, r record, o fixture.Office) {
		id := s.added(o, r)
		before := s.reloaded(r, id)
		for _, change := range []func(ctx context.Context, st repository.Stores) error{
			func(ctx context.Context, st repository.Stores) error {
				return errors.Join(r.change(), r.save(ctx, st))
			},
			func(ctx context.Context, st repository.Stores) error {
				if err := r.remove(ctx, st); !errors.Is(err, errKept) {
					return err
				}
				return nil
			},
		} {
			err := s.tryAs(o, func(ctx context.Context, st repository.Stores) error {
				if err := r.lock(ctx, st, id); err != nil {
					return err
				}
				return change(ctx, st)
			})
			if err != nil {
				s.t.Fatal(err)
			}
			s.expect(before, s.reloaded(r, id))
		}
	})
}

// contract 4.97
func TestDryRunIsRejectedLikeAUnitOfWork(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		history := s.historyOf(o.Deal)
		err := s.tryAs(o, func(ctx context.Context, st repository.Stores) error {
			d := fixture.Must(deal.New(o.Manager, o.Default, fixture.Deal(nowhere, 0), fixture.At))
			return second(st.Deals.Add(ctx, d))
		})
		if !fault.Is(err, fault.Dangling) {
			s.t.Errorf("a reference to nothing ends with %v", err)
		}
		if got := s.historyOf(o.Deal); got != history {
			s.t.Errorf("the history has %d entries, want %d", got, history)
		}
	})
}

// historyOf is the number of entries in the history of a deal.
func (s store) historyOf(id deal.ID) (entries int) {
	s.t.Helper()
	if err := s.pool.QueryRow(s.t.Context(), "select count(*) from deal_history where deal_id = $1", id).Scan(&entries); err != nil {
		s.t.Fatal(err)
	}
	return entries
}
