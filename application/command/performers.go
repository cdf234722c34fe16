package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Performers are the use cases that change performers.
type Performers struct {
	records[performer.ID, *performer.Performer, performer.State]
}

// NewPerformers returns the use cases of performers.
func NewPerformers(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Performers {
	return &Performers{records[performer.ID, *performer.Performer, performer.State]{
		base:    base{tx, clock, rules, access.Reference},
		repo:    func(s repository.Stores) repository.Store[performer.ID, *performer.Performer] { return s.Performers },
		version: func(s performer.State, _ performer.ID) int64 { return s.Version },
		kind:    rule.Performers,
		ref:     func(s performer.State) string { return s.Ref },
	}}
}

// Create adds a performer and returns its id.
func (u *Performers) Create(ctx context.Context, r Request, a performer.Attributes) (performer.ID, error) {
	return u.create(ctx, r, u.draft(a))
}

func (u *Performers) draft(a performer.Attributes) preparation[*performer.Performer, performer.State] {
	return func(_ context.Context, w work) (draft[*performer.Performer, performer.State], error) {
		record, invalid := performer.New(a, w.At)
		return draftOf(performer.State{Status: performer.DefaultStatus}.With(a), record, invalid), nil
	}
}

// Update sets the attributes that are present. It does not change invoices that the
// performer has issued.
func (u *Performers) Update(ctx context.Context, r Request, id performer.ID, a performer.Attributes) error {
	return u.update(ctx, r, id, u.edit(a))
}

func (u *Performers) edit(a performer.Attributes) edit[*performer.Performer, performer.State] {
	return editOf(
		func(_ context.Context, w work, p *performer.Performer) error { return p.Update(a, w.At) },
		func(_ work, before performer.State) performer.State { return before.With(a) })
}

// Put changes the performer with the ref in the attributes as Update does, or creates it as Create does.
func (u *Performers) Put(ctx context.Context, r Request, a performer.Attributes) error {
	return u.put(ctx, r, a.Ref.Or(""), u.draft(a), u.edit(a))
}

// Delete deletes a performer. One that has issued invoices is a fault.Conflict.
func (u *Performers) Delete(ctx context.Context, r Request, id performer.ID) error {
	return u.remove(ctx, r, id, nil, nil)
}
