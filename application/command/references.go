package command

import (
	"context"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

// references are what a written record refers to.
type references struct {
	ids     repository.ReferenceIDs // not looked up so far
	missing error                   // of those that were looked up before
}

// joinReferences joins a rejection with that of references to missing records, unless
// the rejection takes precedence. A single reference of a record that is right is
// not looked up, because the store rejects it by itself, unless it is a user, who may
// be disabled.
func (w work) joinReferences(ctx context.Context, rejected error, refs references) error {
	switch {
	case rejected != nil && !fault.Is(rejected, fault.Invalid):
		return rejected
	case rejected == nil && refs.missing == nil && refs.ids.Count() < 2 && refs.ids.User == 0:
		return nil
	}
	found, err := w.References.Find(ctx, refs.ids)
	if err != nil {
		return err
	}
	return w.ownFirst(fault.Join(rejected, refs.missing, found.Missing))
}

// changed returns a reference that has to be looked up: a new one.
func changed[ID ~int64](before, after ID) ID {
	if before == after {
		return 0
	}
	return after
}
