package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

// records are the use cases of one aggregate: the skeletons of a creation, an
// update and a deletion, which are the only places where a record is judged.
type records[ID ~int64, A interface{ State() S }, S any] struct {
	base
	repo    func(s repository.Stores) repository.Store[ID, A]
	version func(s S, id ID) int64
	kind    rule.Kind[S]
	ref     func(s S) string // the caller's own key; nil: there is none
}

type draft[A, S any] struct {
	record   A
	invalid  error    // from making the record
	proposed S        // see draftOf
	before   *S       // of a record that gains a part; nil for a new one
	ignored  []string // fields that this write does not look at
	references
	isJudged  bool // the rules have been asked about it, together with the record that needs it
	isRefFree bool // no record had its ref; the unique index catches one stored meanwhile
	// other is the change of a deal that is stored together with this record; nil: none is.
	other *rule.Change[deal.State]
	// beforeAdd, if set, changes what has to change before the record is stored.
	beforeAdd func(ctx context.Context) error
	cause     rule.Cause // zero: rule.Requested
}

// draftOf returns the draft of a record, or of what makes it invalid. proposed is the record as far as the
// attributes are right. Rules are asked about it where there is no record.
func draftOf[A, S any](proposed S, record A, invalid error) draft[A, S] {
	return draft[A, S]{record: record, invalid: invalid, proposed: proposed}
}

// preparation drafts a record in a unit of work.
type preparation[A, S any] func(ctx context.Context, w work) (draft[A, S], error)

// create opens a unit of work that creates a record and returns its id.
func (u records[ID, A, S]) create(ctx context.Context, r Request, prepare preparation[A, S]) (ID, error) {
	return u.once(ctx, r, func(ctx context.Context, w work) (ID, error) { return u.addPrepared(ctx, w, prepare) })
}

// once opens a unit of work that is executed once for an idempotency key, and responds with the record whose id fn
// returns. A request that was executed before is Repeated.
func (u records[ID, A, S]) once(ctx context.Context, r Request, fn func(ctx context.Context, w work) (ID, error)) (id ID, err error) {
	if r.DryRun {
		r.Idempotency = nil
	}
	err = u.do(ctx, r, func(ctx context.Context, w work) error {
		if err := r.claim(ctx, w.Stores, w.At); err != nil {
			return err
		}
		if id, err = fn(ctx, w); err != nil {
			return err
		}
		return w.respond(ctx, int64(id))
	})
	return id, err
}

// addPrepared adds the record that prepare drafts, and marks the response as that of a creation.
func (u records[ID, A, S]) addPrepared(ctx context.Context, w work, prepare preparation[A, S]) (ID, error) {
	if w.Response != nil {
		w.Response.IsNew = true
	}
	d, err := prepare(ctx, w)
	if err != nil {
		return 0, err
	}
	return u.add(ctx, w, d)
}

// add judges a draft and stores it. Every record of the kind is created here.
func (u records[ID, A, S]) add(ctx context.Context, w work, d draft[A, S]) (ID, error) {
	after := d.proposed
	if d.invalid == nil {
		after = d.record.State()
	}
	change := rule.Change[S]{Before: d.before, After: &after, Cause: max(d.cause, rule.Requested)}
	var rejected error
	if !d.isJudged {
		rejected = judge(ctx, w, u.kind, change, d.other)
	}
	rejected = fault.Join(rejected, w.CheckWrong(d.ignored...), d.invalid)
	if !d.isRefFree {
		rejected = fault.Join(rejected, u.checkRef(ctx, w, change))
	}
	if err := w.joinReferences(ctx, rejected, d.references); err != nil {
		return 0, err
	}
	if d.beforeAdd != nil {
		if err := d.beforeAdd(ctx); err != nil {
			return 0, err
		}
	}
	id, err := u.repo(w.Stores).Add(ctx, d.record)
	if err != nil {
		return 0, err
	}
	after = d.record.State()
	if d.before == nil {
		after = u.kind.WithID(after, int64(id))
	}
	stored(u.base, w, u.kind, change)
	return id, nil
}

type edit[A, S any] struct {
	mutate   func(ctx context.Context, w work, a A) error // see editOf
	proposed func(w work, before S) S                     // see editOf
	// prepare, if set, locks what comes before the record in the order of locks.
	prepare func(ctx context.Context, w work) error
	// ignored, if set, names the fields that this write does not look at.
	ignored func(before S) []string
	// references, if set, are what the changed record refers to, as far as the
	// attributes are right.
	references func(before, after S) references
	// other, if set, returns the change of a deal that is stored together with the record; nil: none is.
	other func(w work, after S) *rule.Change[deal.State]
	// beforeSave, if set, changes what has to change before the record is stored.
	beforeSave func(ctx context.Context, w work, before S, a A) error
	// follow, if set, changes what has to follow the saved record.
	follow func(ctx context.Context, w work, before, after S) error
}

// editOf returns the edit by mutate, which changes the record; after an error that is as before. proposed is
// the record as far as the attributes are right. Rules are asked about it, and its references are looked up,
// where the record rejects the change.
func editOf[A, S any](mutate func(ctx context.Context, w work, a A) error, proposed func(w work, before S) S) edit[A, S] {
	return edit[A, S]{mutate: mutate, proposed: proposed}
}

func (u records[ID, A, S]) update(ctx context.Context, r Request, id ID, e edit[A, S]) error {
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		if err := u.change(ctx, w, id, e); err != nil {
			return err
		}
		return w.respond(ctx, int64(id))
	})
}

// change changes a record within a unit of work. Every record of the kind is changed here,
// but for those that another one takes along.
func (u records[ID, A, S]) change(ctx context.Context, w work, id ID, e edit[A, S]) error {
	if e.prepare != nil {
		if err := e.prepare(ctx, w); err != nil {
			return err
		}
	}
	a, err := u.repo(w.Stores).Lock(ctx, id)
	if err != nil {
		return err
	}
	before := a.State()
	if err := u.judge(ctx, w, id, before, a, e); err != nil {
		return err
	}
	if e.beforeSave != nil {
		if err := e.beforeSave(ctx, w, before, a); err != nil {
			return err
		}
	}
	if err := u.repo(w.Stores).Save(ctx, a); err != nil {
		return err
	}
	after := a.State()
	stored(u.base, w, u.kind, rule.Change[S]{Before: &before, After: &after, Cause: rule.Requested})
	if e.follow == nil {
		return nil
	}
	return e.follow(ctx, w, before, after)
}

// judge changes the record and returns all rejections of the change, joined. A write that is right and
// changes nothing is not judged by rules.
func (u records[ID, A, S]) judge(ctx context.Context, w work, id ID, before S, a A, e edit[A, S]) error {
	invalid := e.mutate(ctx, w, a)
	after := a.State()
	if invalid != nil {
		after = e.proposed(w, before)
	}
	var ignored []string
	if e.ignored != nil {
		ignored = e.ignored(before)
	}
	var rejected error
	var other *rule.Change[deal.State]
	if e.other != nil {
		other = e.other(w, after)
	}
	change := rule.Change[S]{Before: &before, After: &after, Cause: rule.Requested}
	if invalid != nil || len(w.Wrong) > 0 || !changesNothing(change) {
		rejected = judge(ctx, w, u.kind, change, other)
	}
	rejected = fault.Join(rejected, w.CheckVersion(u.version(before, id)), w.CheckWrong(ignored...), invalid, u.checkRef(ctx, w, change))
	if e.references == nil {
		return w.ownFirst(rejected)
	}
	return w.joinReferences(ctx, rejected, e.references(before, after))
}

// remove opens a unit of work that deletes a record. Allowed, if set, rejects what the
// record itself does not allow; cascade, if set, removes what goes with it.
func (u records[ID, A, S]) remove(ctx context.Context, r Request, id ID, allowed func(a A) error,
	cascade func(ctx context.Context, w work) error,
) error {
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		a, err := u.repo(w.Stores).Lock(ctx, id)
		if err != nil {
			return err
		}
		before := a.State()
		change := rule.Change[S]{Before: &before, Cause: rule.Requested}
		rejected := judge(ctx, w, u.kind, change, nil)
		if allowed != nil {
			rejected = fault.Join(rejected, allowed(a))
		}
		if err := fault.Join(rejected, w.CheckVersion(u.version(before, id))); err != nil {
			return err
		}
		if cascade != nil {
			if err := cascade(ctx, w); err != nil {
				return err
			}
		}
		if err := u.repo(w.Stores).Remove(ctx, a); err != nil {
			return err
		}
		stored(u.base, w, u.kind, change)
		return w.react(ctx)
	})
}
