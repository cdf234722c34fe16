package command

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Statuses are the use cases that change statuses. If a status becomes the default, the previous default no
// longer is. Removing the default flag, and deleting the default status, are a fault.Conflict.
type Statuses = Plain[catalog.StatusID, *catalog.Status, catalog.StatusState, catalog.StatusAttributes]

// NewStatuses returns the use cases of statuses.
func NewStatuses(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Statuses {
	b := base{tx, clock, rules, access.Reference}
	return &Statuses{
		records: records[catalog.StatusID, *catalog.Status, catalog.StatusState]{
			base:    b,
			repo:    func(s repository.Stores) repository.Store[catalog.StatusID, *catalog.Status] { return s.Statuses },
			version: func(s catalog.StatusState, _ catalog.StatusID) int64 { return s.Version },
			kind:    rule.Statuses,
		},
		make:       func(_ work, a catalog.StatusAttributes) (*catalog.Status, error) { return catalog.NewStatus(a) },
		amend:      func(st *catalog.Status, a catalog.StatusAttributes, _ time.Time) error { return st.Update(a) },
		beforeSave: b.retireDefault,
		allowed:    (*catalog.Status).CheckDelete,
	}
}

// retireDefault ends the old default status being it, if this one becomes it.
func (b base) retireDefault(ctx context.Context, w work, before catalog.StatusState, st *catalog.Status) error {
	if !st.State().Default || before.Default {
		return nil
	}
	old, err := w.Statuses.LockDefault(ctx)
	if err != nil || old == nil {
		return err
	}
	was := old.State()
	old.ClearDefault()
	is := old.State()
	change := rule.Change[catalog.StatusState]{Before: &was, After: &is, Cause: rule.AnotherDefault}
	if err := check(ctx, w, rule.Statuses, change); err != nil {
		return err
	}
	if err := w.Statuses.Save(ctx, old); err != nil {
		return err
	}
	stored(b, w, rule.Statuses, change)
	return nil
}
