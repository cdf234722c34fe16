// Package command holds the use cases that change something: one type for each
// aggregate, one method for each verb.
//
// All of them answer the refusals of a request in the same order: the role, the
// record that is not there, the version that is no longer current, the record
// sent in itself with all its wrong fields, consistency, references.
package command

import (
	"context"
	"slices"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Request is what a write carries beside its attributes.
type Request struct {
	Actor access.Actor
	// Expect holds the versions of which the record must have one; nil means
	// any. It has no meaning for a creation.
	Expect []int64
	// Wrong holds the fields that were sent but could not be read as what they
	// are. They are refused together with what the aggregate refuses.
	Wrong []fault.Field
	// Response, if set, is read and encoded before the commit.
	Response *Response
	// Idempotency, if set, makes a creation happen only once.
	Idempotency *Idempotency
}

// unread is the refusal of the fields that could not be read, but for those
// that this write does not look at.
func (r Request) unread(ignored ...string) error {
	wrong := slices.DeleteFunc(slices.Clone(r.Wrong), func(f fault.Field) bool { return slices.Contains(ignored, f.Name) })
	return fault.ForFields(fault.Invalid, wrong...)
}

// checkVersion refuses a record whose version the caller does not expect.
func (r Request) checkVersion(version int64) error {
	if r.Expect == nil || slices.Contains(r.Expect, version) {
		return nil
	}
	return fault.New(fault.Stale, "the record has changed: its version is now %d", version)
}

// unit is what every use case is made with.
type unit struct {
	tx    repository.Tx
	clock ports.Clock
}

// do opens a unit of work for a request that may write in the area.
func (u unit) do(ctx context.Context, r Request, area access.Area,
	fn func(ctx context.Context, s repository.Stores, meta repository.Meta) error,
) error {
	if err := r.Actor.MayWrite(area); err != nil {
		return err
	}
	meta := repository.Meta{UserID: r.Actor.UserID, At: u.clock.Now()}
	return u.tx.Do(ctx, meta, func(ctx context.Context, s repository.Stores) error {
		return fn(ctx, s, meta)
	})
}

// create opens a unit of work that makes a record and returns its id. A request
// that was carried out before is Repeated.
func create[ID ~int64](ctx context.Context, u unit, r Request, area access.Area,
	fn func(ctx context.Context, s repository.Stores, meta repository.Meta) (ID, error),
) (id ID, err error) {
	err = u.do(ctx, r, area, func(ctx context.Context, s repository.Stores, meta repository.Meta) error {
		if err := r.claim(ctx, s, meta.At); err != nil {
			return err
		}
		if id, err = fn(ctx, s, meta); err != nil {
			return err
		}
		return r.respond(ctx, s, int64(id))
	})
	return id, err
}

// change opens a unit of work that changes the record.
func change[ID ~int64](ctx context.Context, u unit, r Request, area access.Area, id ID,
	fn func(ctx context.Context, s repository.Stores, meta repository.Meta) error,
) error {
	return u.do(ctx, r, area, func(ctx context.Context, s repository.Stores, meta repository.Meta) error {
		if err := fn(ctx, s, meta); err != nil {
			return err
		}
		return r.respond(ctx, s, int64(id))
	})
}

// reference is one record that a change refers to.
type reference struct {
	field  string
	exists func(ctx context.Context) (bool, error)
}

// found turns the error of looking a record up into whether it is there.
func found(err error) (bool, error) {
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// checkReferences refuses, all at once, the fields that refer to a record that
// is not there.
func checkReferences(ctx context.Context, refs ...reference) error {
	var missing []fault.Field
	for _, ref := range refs {
		ok, err := ref.exists(ctx)
		if err != nil {
			return err
		}
		if !ok {
			missing = append(missing, fault.Field{Name: ref.field, Message: "names no record"})
		}
	}
	return fault.ForFields(fault.Dangling, missing...)
}
