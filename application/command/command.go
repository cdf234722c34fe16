// Package command contains the use cases that change records, and the trials of rules: one type for
// each aggregate, one method for each operation.
//
// records.go has three functions that all of them use: create, update and remove. They check in
// one order: the actor's role; that the record exists; then, by the precedence of the kinds of
// package fault, rules that forbid the change, the expected version, all fields of the record,
// and consistency; and finally, if all of that holds, references. The invalid fields of a record
// and its references to missing records are rejected together.
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

// Request has the parameters of a write other than its attributes.
type Request struct {
	Actor access.Actor
	ID    string // of the request, for the log of changes; empty at the command line
	// Expect lists the acceptable versions of the record; nil means any. A creation ignores it.
	Expect []int64
	// Except lists the versions for which nothing may change; ExceptAny means all.
	Except    []int64
	ExceptAny bool
	// MustExist makes a Put create nothing.
	MustExist bool
	// Wrong are the fields that could not be parsed. They are rejected together with those that
	// the aggregate rejects.
	Wrong []fault.Field
	// Response, if set, selects what is read and encoded before the commit.
	Response *Response
	// Idempotency, if set, makes a creation idempotent.
	Idempotency *Idempotency
	// Report, if set, receives the verdicts and the reactions, whether the write is rejected or
	// not.
	Report *rule.Report
	// DryRun makes the write do everything except store, as in repository.Meta. A creation then
	// returns a placeholder for the id. Idempotency is ignored: a dry run neither uses up a key
	// nor gets a stored response.
	DryRun bool
}

// CheckWrong returns a fault.Invalid with the fields in Wrong, except for the ignored ones.
func (r Request) CheckWrong(ignored ...string) error {
	wrong := slices.DeleteFunc(slices.Clone(r.Wrong), func(f fault.Field) bool { return slices.Contains(ignored, f.Name) })
	return fault.ForFields(fault.Invalid, wrong...)
}

// CheckVersion returns a fault.Stale if the version is not one of Expect, or is one of Except.
func (r Request) CheckVersion(version int64) error {
	switch {
	case r.Expect != nil && len(r.Expect) == 0:
		return fault.New(fault.Stale, "If-Match has no ETag of a record of this service; the version of the record is %d", version)
	case r.Expect != nil && !slices.Contains(r.Expect, version):
		return fault.New(fault.Stale, "the record has changed: its version is now %d", version)
	case r.ExceptAny || slices.Contains(r.Except, version):
		return fault.New(fault.Stale, "the record exists in version %d, which If-None-Match excludes", version)
	}
	return nil
}

type base struct {
	tx    repository.Tx
	clock ports.Clock
	rules *rule.Registry
	area  access.Area // zero: the use cases are for operators
}

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
	meta := repository.Meta{UserID: r.Actor.UserID, At: b.clock.Now(), RequestID: r.ID, DryRun: r.DryRun}
	var last *judgement // of the attempt that counts; nil without one
	err := b.tx.Do(ctx, meta, func(ctx context.Context, s repository.Stores) error {
		set, err := b.rules.Set(ctx, s.Rules.Set())
		if err != nil {
			return err
		}
		last = &judgement{set: set}
		if kinds := last.set.Facts(); kinds != 0 {
			s.Facts.Protect(kinds)
		}
		return fn(ctx, work{s, meta, r, last})
	})
	if last == nil {
		return err
	}
	err = last.withoutCreated(err)
	last.reportTo(r.Report)
	if !r.DryRun && !isAborted(err) {
		b.rules.Observe(last.verdicts)
	}
	return err
}

// isAborted reports whether a write has failed although nothing rejected it, or may have failed.
func isAborted(err error) bool {
	f := fault.As(err)
	if f == nil {
		return err != nil
	}
	return f.Kind > fault.Dangling
}
