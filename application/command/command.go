// Package command holds the use cases that change something: one type for each
// aggregate, one method for each verb.
//
// All of them are run by one of three skeletons, in records.go, and reject in one
// order: the role that may not write here; the record that does not exist; then,
// as the kinds of package fault are ordered, a change that a rule forbids, a version
// that is no longer current, the record sent in itself with all its wrong fields,
// consistency; and last, when all that is right, references. A record that is wrong
// in itself is rejected together with its references to missing records.
//
// Chose: typed rules that need facts are judged at the end of the unit of work, and a write
// that is rejected is run once more, with all rules judged before the change. Because: a write
// that passes then has no round trip more, and holds the locks of what it has asked for the
// shortest time; a rejection is still complete, in that order, and made before anything is stored.
// Costs: a rejected write under such rules takes twice as long.
package command

import (
	"context"
	"slices"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Request has the parameters of a write beside its attributes.
type Request struct {
	Actor access.Actor
	// Expect holds the versions of which the record must have one; nil means
	// any. It has no meaning for a creation.
	Expect []int64
	// Wrong holds the fields that were sent but could not be read as what they
	// are. They are rejected together with what the aggregate rejects.
	Wrong []fault.Field
	// Response, if set, is read and encoded before the commit.
	Response *Response
	// Idempotency, if set, makes a creation happen only once.
	Idempotency *Idempotency
	// Report, if set, receives what rules have said of the write, whether it is rejected
	// or not, and which reactions it has caused.
	Report *rule.Report
	// DryRun makes the write do everything but store it, as repository.Meta says. The id
	// that a creation returns is then a placeholder, and Idempotency is ignored: a dry
	// run neither uses up a key nor is one answered with a stored response.
	DryRun bool
}

// CheckWrong rejects the fields that could not be read, but for those that this
// write does not look at.
func (r Request) CheckWrong(ignored ...string) error {
	wrong := slices.DeleteFunc(slices.Clone(r.Wrong), func(f fault.Field) bool { return slices.Contains(ignored, f.Name) })
	return fault.ForFields(fault.Invalid, wrong...)
}

// CheckVersion rejects a record whose version the caller does not expect.
func (r Request) CheckVersion(version int64) error {
	if r.Expect == nil || slices.Contains(r.Expect, version) {
		return nil
	}
	return fault.New(fault.Stale, "the record has changed: its version is now %d", version)
}

// base has the dependencies of every use case.
type base struct {
	tx    repository.Tx
	clock ports.Clock
	rules *rule.Registry
	area  access.Area // zero: the use cases are for operators, who need no role
}

// MayWrite is nil if the actor may use these use cases, else a fault.Forbidden.
func (b base) MayWrite(actor access.Actor) error { return actor.MayWrite(b.area) }

// work is one run of a unit of work.
type work struct {
	repository.Stores
	repository.Meta
	Request
	*judgement
}

// do opens a unit of work for a request whose actor may write in the area.
func (b base) do(ctx context.Context, r Request, fn func(ctx context.Context, w work) error) error {
	if err := b.MayWrite(r.Actor); err != nil {
		return err
	}
	return b.perform(ctx, r, fn)
}

// perform opens a unit of work for a request that may be made. What follows from its changes
// is fn's part: see work.react.
func (b base) perform(ctx context.Context, r Request, fn func(ctx context.Context, w work) error) error {
	meta := repository.Meta{UserID: r.Actor.UserID, At: b.clock.Now(), DryRun: r.DryRun}
	way := judgeDeferred
	if r.DryRun {
		way = judgeAtOnce
	}
	last, err := b.run(ctx, r, meta, way, fn)
	if last != nil && last.hasDeferred && err != nil && !isAborted(err) {
		last, err = b.run(ctx, r, meta, judgeAtOnce, fn)
	}
	if last == nil {
		return err
	}
	last.reportTo(r.Report)
	if !r.DryRun && !isAborted(err) {
		b.rules.Observe(last.verdicts)
	}
	return err
}

// run runs the unit of work; last is the judgement of the run that counts, nil without one.
func (b base) run(ctx context.Context, r Request, meta repository.Meta, way judging, fn func(ctx context.Context, w work) error) (last *judgement, err error) {
	err = b.tx.Do(ctx, meta, func(ctx context.Context, s repository.Stores) error {
		last = &judgement{set: b.rules.Set(s.Rules.Set())}
		if kinds := last.set.Facts(); kinds != 0 {
			s.Facts.Protect(kinds)
			s.Facts = way(s.Facts, last)
		}
		return fn(ctx, work{s, meta, r, last})
	})
	return last, err
}

// isAborted reports whether a write has failed although nothing rejected it, or may have failed.
func isAborted(err error) bool {
	f := fault.As(err)
	if f == nil {
		return err != nil
	}
	return f.Kind > fault.Dangling
}
