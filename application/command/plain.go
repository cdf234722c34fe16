package command

import (
	"context"
	"time"
)

// Plain are the use cases that change records of one kind by their attributes alone.
type Plain[ID ~int64, A interface{ State() S }, S interface{ With(a T) S }, T any] struct {
	records[ID, A, S]
	// initial, if set, is what a new record has before its attributes.
	initial func(w work) S
	make    func(w work, a T) (A, error)
	amend   func(record A, a T, at time.Time) error
	key     func(a T) string // the ref in the attributes; nil: there is none, and no Put

	// As in edit; of a creation, before is the initial state.
	references func(before, after S) references
	ignored    func(s S) []string
	beforeSave func(ctx context.Context, w work, before S, record A) error

	// allowed and cascade are those of a deletion, as in remove.
	allowed func(record A) error
	cascade func(ctx context.Context, w work, id ID) error
}

// Create adds a record and returns its id.
func (u *Plain[ID, A, S, T]) Create(ctx context.Context, r Request, a T) (ID, error) {
	return u.create(ctx, r, u.draft(a))
}

func (u *Plain[ID, A, S, T]) draft(a T) preparation[A, S] {
	return func(_ context.Context, w work) (d draft[A, S], _ error) {
		var before S
		if u.initial != nil {
			before = u.initial(w)
		}
		record, invalid := u.make(w, a)
		d = draftOf(before.With(a), record, invalid)
		if u.references != nil {
			d.references = u.references(before, d.proposed)
		}
		if u.ignored != nil {
			d.ignored = u.ignored(d.proposed)
		}
		if u.beforeSave != nil {
			d.beforeAdd = func(ctx context.Context) error { return u.beforeSave(ctx, w, before, record) }
		}
		return d, nil
	}
}

// Update sets the attributes that are present; the others stay.
func (u *Plain[ID, A, S, T]) Update(ctx context.Context, r Request, id ID, a T) error {
	return u.update(ctx, r, id, u.edit(a))
}

func (u *Plain[ID, A, S, T]) edit(a T) edit[A, S] {
	e := editOf(
		func(_ context.Context, w work, record A) error { return u.amend(record, a, w.At) },
		func(_ work, before S) S { return before.With(a) })
	e.references, e.ignored, e.beforeSave = u.references, u.ignored, u.beforeSave
	return e
}

// Put changes the record with the ref in the attributes as Update does, or creates it as Create does.
func (u *Plain[ID, A, S, T]) Put(ctx context.Context, r Request, a T) error {
	return u.put(ctx, r, u.key(a), u.draft(a), u.edit(a))
}

// Delete deletes a record. One that others refer to is a fault.Conflict.
func (u *Plain[ID, A, S, T]) Delete(ctx context.Context, r Request, id ID) error {
	return u.remove(ctx, r, id, u.allowed, func(ctx context.Context, w work) error {
		if u.cascade == nil {
			return nil
		}
		return u.cascade(ctx, w, id)
	})
}
