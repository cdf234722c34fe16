package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Statuses changes the statuses of deals.
type Statuses struct {
	unit
}

// NewStatuses makes the use cases of statuses.
func NewStatuses(tx repository.Tx, clock ports.Clock) *Statuses {
	return &Statuses{unit{tx: tx, clock: clock}}
}

// Create adds a status and returns its id. A new default takes over from the
// old one.
func (u *Statuses) Create(ctx context.Context, r Request, a catalog.StatusAttributes) (catalog.StatusID, error) {
	return create(ctx, u.unit, r, access.Reference, func(ctx context.Context, s repository.Stores, _ repository.Meta) (catalog.StatusID, error) {
		st, err := catalog.NewStatus(a)
		if err := fault.Join(r.unread(), err); err != nil {
			return 0, err
		}
		if st.State().Default {
			if err := retireDefault(ctx, s); err != nil {
				return 0, err
			}
		}
		return s.Statuses.Add(ctx, st)
	})
}

// Update changes what the attributes carry. Becoming the default takes it from
// the old one, which is the only way to lose it: a fault.Conflict otherwise.
func (u *Statuses) Update(ctx context.Context, r Request, id catalog.StatusID, a catalog.StatusAttributes) error {
	return change(ctx, u.unit, r, access.Reference, id, func(ctx context.Context, s repository.Stores, _ repository.Meta) error {
		st, err := s.Statuses.Lock(ctx, id)
		if err != nil {
			return err
		}
		before := st.State()
		if err := r.checkVersion(before.Version); err != nil {
			return err
		}
		if err := fault.Join(r.unread(), st.Update(a)); err != nil {
			return err
		}
		if st.State().Default && !before.Default {
			if err := retireDefault(ctx, s); err != nil {
				return err
			}
		}
		return s.Statuses.Save(ctx, st)
	})
}

// Delete removes a status that is neither the default nor in use.
func (u *Statuses) Delete(ctx context.Context, r Request, id catalog.StatusID) error {
	return u.do(ctx, r, access.Reference, func(ctx context.Context, s repository.Stores, _ repository.Meta) error {
		st, err := s.Statuses.Lock(ctx, id)
		if err != nil {
			return err
		}
		if err := r.checkVersion(st.State().Version); err != nil {
			return err
		}
		if err := st.CheckDelete(); err != nil {
			return err
		}
		return s.Statuses.Remove(ctx, st)
	})
}

func retireDefault(ctx context.Context, s repository.Stores) error {
	old, err := s.Statuses.LockDefault(ctx)
	if err != nil || old == nil {
		return err
	}
	old.Yield()
	return s.Statuses.Save(ctx, old)
}
