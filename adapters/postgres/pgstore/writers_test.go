package pgstore_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// patience is how long a second writer gets to run past a lock that does not
// hold.
const patience = 40 * time.Millisecond

// contract 10.77
func TestWritersOfOneInvoiceLoseNoLine(t *testing.T) {
	const writers, each = 4, 5
	onStore(t, func(s store) {
		o := s.office
		inv := s.issued(o, withLines(o, "first"))
		var all sync.WaitGroup
		for range writers {
			all.Go(func() {
				for range each {
					s.edit(o, inv.ID, func(inv *invoice.Invoice) error {
						return inv.AddLine(fixture.Line("more"), inv.State().Terms, later)
					})
				}
			})
		}
		all.Wait()
		got := s.invoice(inv.ID)
		if n := 1 + writers*each; len(got.Lines) != n || got.TotalCount != n || got.Version != int64(n) {
			s.t.Errorf("%d lines, counted as %d, in version %d; want %d of each", len(got.Lines), got.TotalCount, got.Version, n)
		}
		total := fixture.Amount("0")
		for _, l := range got.Lines {
			total = total.Plus(l.Total)
		}
		if !total.Equal(got.TotalPrice) {
			s.t.Errorf("the total is %s, and that of the lines %s", got.TotalPrice, total)
		}
	})
}

// contract 6.13: each writer keeps the rule, and so must both together.
func TestStatusDefaultIsUniqueUnderConcurrency(t *testing.T) {
	onStore(t, func(s store) {
		both := make(meeting)
		var ids [2]catalog.StatusID
		var writers sync.WaitGroup
		for i := range ids {
			writers.Go(func() {
				s.do(func(ctx context.Context, st repository.Stores) error {
					old, err := st.Statuses.LockDefault(ctx)
					if err != nil {
						return err
					}
					both.meet()
					if old != nil {
						old.ClearDefault()
						if err := st.Statuses.Save(ctx, old); err != nil {
							return err
						}
					}
					ids[i], err = st.Statuses.Add(ctx, fixture.Must(catalog.NewStatus(fixture.Default())))
					return err
				})
			})
		}
		writers.Wait()
		s.do(func(ctx context.Context, st repository.Stores) error {
			found, err := st.References.Find(ctx, repository.ReferenceIDs{DefaultStatus: true})
			if err == nil && !slices.Contains(ids[:], found.DefaultStatus) {
				s.t.Errorf("the default is %d, want one of %v", found.DefaultStatus, ids)
			}
			return err
		})
	})
}

// contract 6.13: a writer that waits for the default gets the new one.
func TestLockDefaultFollowsAConcurrentChange(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		holds, done := newSignal(), newSignal()
		var writers sync.WaitGroup
		writers.Go(func() {
			defer holds.give()
			s.do(func(ctx context.Context, st repository.Stores) error {
				next, err := st.Statuses.Lock(ctx, o.Status)
				if err != nil {
					return err
				}
				old, err := st.Statuses.LockDefault(ctx)
				if err != nil {
					return err
				}
				holds.give()
				done.await()
				old.ClearDefault()
				if err := st.Statuses.Save(ctx, old); err != nil {
					return err
				}
				if err := next.Update(catalog.StatusAttributes{Default: domain.Some(true)}); err != nil {
					return err
				}
				return st.Statuses.Save(ctx, next)
			})
		})
		var found *catalog.Status
		writers.Go(func() {
			holds.await()
			s.do(func(ctx context.Context, st repository.Stores) (err error) {
				found, err = st.Statuses.LockDefault(ctx)
				return err
			})
		})
		holds.await()
		time.Sleep(patience)
		done.give()
		writers.Wait()
		if found == nil || found.State().ID != o.Status {
			s.t.Errorf("the default that is locked is %v, want the status %d", found, o.Status)
		}
	})
}

func TestCancelledRequestStoresNothing(t *testing.T) {
	onStore(t, func(s store) {
		o := s.office
		var id client.ID
		ctx, cancel := context.WithCancel(s.t.Context())
		err := s.Do(ctx, repository.Meta{At: later}, func(ctx context.Context, st repository.Stores) (err error) {
			id, err = st.Clients.Add(ctx, fixture.Client(o.Manager, fixture.Company()))
			cancel()
			return err
		})
		if !errors.Is(err, context.Canceled) {
			s.t.Errorf("the unit of work ended with %v, want %v", err, context.Canceled)
		}
		s.rejects(0, fault.NotFound, func(ctx context.Context, st repository.Stores) error { return second(st.Clients.Lock(ctx, id)) })
	})
}

// meeting is where two units of work meet, unless the store lets only one run at
// a time.
type meeting chan struct{}

func (m meeting) meet() {
	select {
	case m <- struct{}{}:
	case <-m:
	case <-time.After(patience):
	}
}
