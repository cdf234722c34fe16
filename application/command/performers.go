package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Performers changes performers.
type Performers struct {
	unit
}

// NewPerformers makes the use cases of performers.
func NewPerformers(tx repository.Tx, clock ports.Clock) *Performers {
	return &Performers{unit{tx: tx, clock: clock}}
}

// Create adds a performer and returns its id.
func (u *Performers) Create(ctx context.Context, r Request, a performer.Attributes) (performer.ID, error) {
	return create(ctx, u.unit, r, access.Reference, func(ctx context.Context, s repository.Stores, meta repository.Meta) (performer.ID, error) {
		p, err := performer.New(a, meta.At)
		if err := fault.Join(r.unread(), err); err != nil {
			return 0, err
		}
		return s.Performers.Add(ctx, p)
	})
}

// Update changes what the attributes carry; the rest stays as it is, and so do
// the invoices that the performer has issued.
func (u *Performers) Update(ctx context.Context, r Request, id performer.ID, a performer.Attributes) error {
	return change(ctx, u.unit, r, access.Reference, id, func(ctx context.Context, s repository.Stores, meta repository.Meta) error {
		p, err := s.Performers.Lock(ctx, id)
		if err != nil {
			return err
		}
		if err := r.checkVersion(p.State().Version); err != nil {
			return err
		}
		if err := fault.Join(r.unread(), p.Update(a, meta.At)); err != nil {
			return err
		}
		return s.Performers.Save(ctx, p)
	})
}

// Delete removes a performer that has issued no invoice; one that has is a
// fault.Conflict.
func (u *Performers) Delete(ctx context.Context, r Request, id performer.ID) error {
	return u.do(ctx, r, access.Reference, func(ctx context.Context, s repository.Stores, _ repository.Meta) error {
		p, err := s.Performers.Lock(ctx, id)
		if err != nil {
			return err
		}
		if err := r.checkVersion(p.State().Version); err != nil {
			return err
		}
		return s.Performers.Remove(ctx, p)
	})
}
