package command

import (
	"context"
	"fmt"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
)

// checkRef returns a fault.Conflict if the change gives a record the ref of another one.
//
// Chose: a look-up in the transaction, and a unique index, whose violation is retried. Because: the error of
// a ref that is taken then comes with all others, and has the id of the record that has it. Costs: a
// statement for each new ref.
func (u records[ID, A, S]) checkRef(ctx context.Context, w work, c rule.Change[S]) error {
	if u.ref == nil || u.ref(*c.After) == "" || c.Before != nil && u.ref(*c.Before) == u.ref(*c.After) {
		return nil
	}
	resource := u.kind.Resource
	owner, err := w.References.LockByRef(ctx, resource, u.ref(*c.After))
	if err != nil || owner == 0 {
		return err
	}
	return fault.As(fault.ForFields(fault.Conflict, fault.Field{
		Name: "ref", Message: fmt.Sprintf("belongs to the %s %d", resource, owner), Resource: resource, RecordID: owner,
	})).Coded(fault.Taken)
}

// put opens a unit of work that changes the record with the ref, or creates it if there is none. The
// attributes of both have the ref. Of concurrent calls with one ref, one creates the record: the
// violation of the unique index makes the others start again.
func (u records[ID, A, S]) put(ctx context.Context, r Request, ref string, prepare preparation[A, S], e edit[A, S]) error {
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		if e.prepare != nil { // it locks what comes before the record
			if err := e.prepare(ctx, w); err != nil {
				return err
			}
		}
		found, err := w.References.LockByRef(ctx, u.kind.Resource, ref)
		id := ID(found)
		switch {
		case err != nil:
			return err
		case id == 0 && r.MustExist:
			return fault.New(fault.Stale, "If-Match names a version of a record, and no record has this ref")
		case id == 0:
			id, err = u.addPrepared(ctx, w, func(ctx context.Context, w work) (draft[A, S], error) {
				d, err := prepare(ctx, w)
				d.isRefFree = true
				return d, err
			})
		default:
			if w.Response != nil {
				w.Response.IsNew = false // an attempt before may have set it
			}
			err = u.change(ctx, w, id, e)
		}
		if err != nil {
			return err
		}
		return w.respond(ctx, int64(id))
	})
}
