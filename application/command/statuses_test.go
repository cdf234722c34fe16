package command_test

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

var (
	becomesDefault = catalog.StatusAttributes{Default: domain.Some(true)}
	dropsDefault   = catalog.StatusAttributes{Default: domain.Some(false)}
)

// expectDefault checks that the status is the default, and the only one.
func (o *office) expectDefault(want catalog.StatusID, others ...catalog.StatusID) {
	o.t.Helper()
	if !o.status(want).Default {
		o.t.Errorf("the status %d is not the default", want)
	}
	for _, id := range others {
		if o.status(id).Default {
			o.t.Errorf("the status %d is a default too", id)
		}
	}
	fixture.Do(o.t, o.store, 0, func(ctx context.Context, s repository.Stores) error {
		found, err := s.References.Find(ctx, repository.ReferenceIDs{DefaultStatus: true})
		if err == nil && found.DefaultStatus != want {
			o.t.Errorf("new deals get the status %d, want %d", found.DefaultStatus, want)
		}
		return err
	})
}

// contract 6.13
func TestStatusDefaultReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	o := open(t)
	created := done[catalog.StatusID](t)(o.statuses.Create(t.Context(), o.admin(), fixture.Default()))
	o.expectDefault(created, o.Default, o.Status)

	succeed(t, o.statuses.Update(t.Context(), o.admin(), o.Status, becomesDefault))
	o.expectDefault(o.Status, o.Default, created)

	// The older one, too: the order of ids makes no difference.
	succeed(t, o.statuses.Update(t.Context(), o.admin(), o.Default, becomesDefault))
	o.expectDefault(o.Default, o.Status, created)
}

// contract 4.58
func TestStatusUpdateAcceptsThePresentDefault(t *testing.T) {
	t.Parallel()
	o := open(t)
	before := o.status(o.Default)
	succeed(t, o.statuses.Update(t.Context(), o.admin(), o.Default, fixture.Default()))
	expect(t, before, o.status(o.Default))
}

// contract 6.13, 6.15
func TestStatusDefaultCannotBeDropped(t *testing.T) {
	t.Parallel()
	o := open(t)
	spare := done[catalog.StatusID](t)(o.statuses.Create(t.Context(), o.admin(), fixture.Default()))
	rejected(t, o.statuses.Update(t.Context(), o.admin(), spare, dropsDefault), fault.Conflict)
	rejected(t, o.statuses.Delete(t.Context(), o.admin(), spare), fault.Conflict)
	o.expectDefault(spare)

	succeed(t, o.statuses.Update(t.Context(), o.admin(), o.Default, becomesDefault))
	succeed(t, o.statuses.Delete(t.Context(), o.admin(), spare))
	o.expectDefault(o.Default)
}

func TestStatusDefaultNeedsNoPredecessor(t *testing.T) {
	t.Parallel()
	o := openEmpty(t)
	created := done[catalog.StatusID](t)(o.statuses.Create(t.Context(), o.admin(), fixture.Default()))
	o.expectDefault(created)
}

// contract 6.15
func TestStatusInUseCannotBeDeleted(t *testing.T) {
	t.Parallel()
	o := open(t)
	move := func(to catalog.StatusID) {
		t.Helper()
		succeed(t, o.deals.Update(t.Context(), o.manager(), o.Deal, deal.Attributes{StatusID: domain.Some(to)}))
	}
	move(o.Status)
	rejected(t, o.statuses.Delete(t.Context(), o.admin(), o.Status), fault.Conflict)
	move(o.Default)
	rejected(t, o.statuses.Delete(t.Context(), o.admin(), o.Status), fault.Conflict)

	succeed(t, o.deals.Delete(t.Context(), o.manager(), o.Deal))
	succeed(t, o.statuses.Delete(t.Context(), o.admin(), o.Status))
}
