package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

// PutParty gives the performer the party with these attributes, in place of the one that it has.
func (u *Performers) PutParty(ctx context.Context, r Request, id performer.ID, s party.State) error {
	return writeParty(ctx, u.records, r, id, party.Owner{Performer: id}, replacing(s))
}

// PatchParty changes the party of the performer. change returns the attributes from those that the party has.
func (u *Performers) PatchParty(ctx context.Context, r Request, id performer.ID, change func(party.State) party.State) error {
	return writeParty(ctx, u.records, r, id, party.Owner{Performer: id}, changing(change))
}

// DeleteParty deletes the party of the performer.
func (u *Performers) DeleteParty(ctx context.Context, r Request, id performer.ID) error {
	return deleteParty(ctx, u.records, r, id, party.Owner{Performer: id})
}

// PutParty gives the client the party with these attributes, in place of the one that it has.
func (u *Clients) PutParty(ctx context.Context, r Request, id client.ID, s party.State) error {
	return writeParty(ctx, u.records, r, id, party.Owner{Client: id}, replacing(s))
}

// PatchParty changes the party of the client. change returns the attributes from those that the party has.
func (u *Clients) PatchParty(ctx context.Context, r Request, id client.ID, change func(party.State) party.State) error {
	return writeParty(ctx, u.records, r, id, party.Owner{Client: id}, changing(change))
}

// DeleteParty deletes the party of the client.
func (u *Clients) DeleteParty(ctx context.Context, r Request, id client.ID) error {
	return deleteParty(ctx, u.records, r, id, party.Owner{Client: id})
}

// partyChange returns the attributes of a party from those that it has. The wrong ones are left out.
type partyChange func(before party.State) (after party.State, invalid, err error)

func replacing(s party.State) partyChange {
	return func(party.State) (after party.State, invalid, err error) {
		after, invalid = party.New(s)
		return after, invalid, nil
	}
}

func changing(change func(party.State) party.State) partyChange {
	return func(before party.State) (after party.State, invalid, err error) {
		if before.Version == 0 {
			return before, nil, errNoParty
		}
		after, invalid = party.Change(before, change(before))
		return after, invalid, nil
	}
}

var errNoParty = fault.New(fault.NotFound, "the record has no party: PUT stores one")

// writeParty stores the party of a record. A write that is right and changes nothing is not judged by rules.
func writeParty[ID ~int64, A interface{ State() S }, S any](
	ctx context.Context, u records[ID, A, S], r Request, id ID, owner party.Owner, change partyChange,
) error {
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		record, before, err := lockParty(ctx, u, w, id, owner)
		if err != nil {
			return err
		}
		next, invalid, err := change(before)
		if err != nil {
			return err
		}
		next.Version = before.Version
		update := updateByParty(record, before, &next)
		var refused error
		if invalid != nil || len(w.Wrong) > 0 || next != before {
			refused = judge(ctx, w, u.kind, update, nil)
		}
		inUse := checkSeries(ctx, w, owner.Performer, before, next)
		rejected := fault.Join(refused, checkPartVersion(w, before.Version, "party"), w.CheckWrong(), invalid, inUse)
		if err := w.ownFirst(rejected); err != nil {
			return err
		}
		if next != before {
			if err := w.Parties.Save(ctx, owner, next); err != nil {
				return err
			}
			stored(u.base, w, u.kind, update)
		}
		return w.respond(ctx, int64(id))
	})
}

func deleteParty[ID ~int64, A interface{ State() S }, S any](
	ctx context.Context, u records[ID, A, S], r Request, id ID, owner party.Owner,
) error {
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		record, before, err := lockParty(ctx, u, w, id, owner)
		if err != nil {
			return err
		}
		if before.Version == 0 {
			return errNoParty
		}
		update := updateByParty(record, before, nil)
		refused := judge(ctx, w, u.kind, update, nil)
		inUse := checkSeries(ctx, w, owner.Performer, before, party.State{})
		if err := fault.Join(refused, checkPartVersion(w, before.Version, "party"), inUse); err != nil {
			return err
		}
		if err := w.Parties.Remove(ctx, owner); err != nil {
			return err
		}
		stored(u.base, w, u.kind, update)
		return w.react(ctx)
	})
}

// lockParty locks a record and its party.
func lockParty[ID ~int64, A interface{ State() S }, S any](
	ctx context.Context, u records[ID, A, S], w work, id ID, owner party.Owner,
) (s S, before party.State, err error) {
	record, err := u.repo(w.Stores).Lock(ctx, id)
	if err != nil {
		return s, before, err
	}
	before, err = w.Parties.Lock(ctx, owner)
	return record.State(), before, err
}

// updateByParty is the change of a party as one of its record; nil is no party.
func updateByParty[S any](record S, before party.State, after *party.State) rule.Change[S] {
	c := rule.Change[S]{Before: &record, After: &record, Cause: rule.Requested, Party: &rule.PartyChange{After: after}}
	if before.Version != 0 {
		c.Party.Before = &before
	}
	return c
}

// checkPartVersion is CheckVersion for a part of a record, which has the version 0 if it does not exist.
func checkPartVersion[T ~string](w work, version int64, part T) error {
	switch {
	case version > 0:
		return w.CheckVersion(version)
	case w.Expect != nil:
		return fault.New(fault.Stale, "the record has no %s", part)
	}
	return nil
}
