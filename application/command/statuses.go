package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Statuses are the use cases that change statuses.
type Statuses struct {
	records[catalog.StatusID, *catalog.Status, catalog.StatusState]
}

// NewStatuses returns the use cases of statuses.
func NewStatuses(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Statuses {
	return &Statuses{records[catalog.StatusID, *catalog.Status, catalog.StatusState]{
		base:    base{tx, clock, rules, access.Reference},
		repo:    func(s repository.Stores) repository.Store[catalog.StatusID, *catalog.Status] { return s.Statuses },
		version: func(s catalog.StatusState, _ catalog.StatusID) int64 { return s.Version },
		kind:    rule.Statuses,
	}}
}

// Create adds a status and returns its id. If it is the default, the previous
// default no longer is.
func (u *Statuses) Create(ctx context.Context, r Request, a catalog.StatusAttributes) (catalog.StatusID, error) {
	return u.create(ctx, r, func(_ context.Context, w work) (d draft[*catalog.Status, catalog.StatusState], _ error) {
		record, invalid := catalog.NewStatus(a)
		d = draftOf(catalog.StatusState{}.With(a), record, invalid)
		d.beforeAdd = func(ctx context.Context) error {
			return u.retireDefault(ctx, w, catalog.StatusState{}, d.record)
		}
		return d, nil
	})
}

// Update sets the attributes that are present. If the status becomes the default,
// the previous default no longer is. Removing the default flag is a
// fault.Conflict.
func (u *Statuses) Update(ctx context.Context, r Request, id catalog.StatusID, a catalog.StatusAttributes) error {
	e := editOf(
		func(_ context.Context, _ work, st *catalog.Status) error { return st.Update(a) },
		func(_ work, before catalog.StatusState) catalog.StatusState { return before.With(a) })
	e.beforeSave = u.retireDefault
	return u.update(ctx, r, id, e)
}

// Delete deletes a status. The default status, or one that is in use, is a
// fault.Conflict.
func (u *Statuses) Delete(ctx context.Context, r Request, id catalog.StatusID) error {
	return u.remove(ctx, r, id, (*catalog.Status).CheckDelete, nil)
}

// retireDefault ends the old default status being it, if this one becomes it.
func (u *Statuses) retireDefault(ctx context.Context, w work, before catalog.StatusState, st *catalog.Status) error {
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
	if err := check(ctx, w, u.kind, change); err != nil {
		return err
	}
	if err := w.Statuses.Save(ctx, old); err != nil {
		return err
	}
	stored(u.base, w, u.kind, change)
	return nil
}
