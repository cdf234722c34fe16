package command

import (
	"context"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
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

// partyChange returns the attributes of a party from those that it has.
type partyChange func(before party.State) (party.State, error)

func replacing(s party.State) partyChange {
	return func(party.State) (party.State, error) { return s, nil }
}

func changing(change func(party.State) party.State) partyChange {
	return func(before party.State) (party.State, error) {
		if before.Version == 0 {
			return before, errNoParty
		}
		return change(before), nil
	}
}

var errNoParty = fault.New(fault.NotFound, "the record has no party: PUT stores one")

// writeParty stores the party of a record. Rules do not judge it.
func writeParty[ID ~int64, A interface{ State() S }, S any](
	ctx context.Context, u records[ID, A, S], r Request, id ID, owner party.Owner, change partyChange,
) error {
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		before, err := lockParty(ctx, u.repo(w.Stores), w, id, owner)
		if err != nil {
			return err
		}
		changed, err := change(before)
		if err != nil {
			return err
		}
		next, invalid := party.New(changed)
		inUse := checkSeries(ctx, w, owner.Performer, before, next)
		if err := fault.Join(checkPartVersion(w, before.Version, "party"), w.CheckWrong(), invalid, inUse); err != nil {
			return err
		}
		if next.Version = before.Version; next != before {
			if err := w.Parties.Save(ctx, owner, next); err != nil {
				return err
			}
		}
		return w.respond(ctx, int64(id))
	})
}

func deleteParty[ID ~int64, A interface{ State() S }, S any](
	ctx context.Context, u records[ID, A, S], r Request, id ID, owner party.Owner,
) error {
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		before, err := lockParty(ctx, u.repo(w.Stores), w, id, owner)
		if err != nil {
			return err
		}
		if before.Version == 0 {
			return errNoParty
		}
		inUse := checkSeries(ctx, w, owner.Performer, before, party.State{})
		if err := fault.Join(checkPartVersion(w, before.Version, "party"), inUse); err != nil {
			return err
		}
		return w.Parties.Remove(ctx, owner)
	})
}

// lockParty locks a record and its party.
func lockParty[ID ~int64, A any](
	ctx context.Context, s repository.Store[ID, A], w work, id ID, owner party.Owner,
) (party.State, error) {
	if _, err := s.Lock(ctx, id); err != nil {
		return party.State{}, err
	}
	return w.Parties.Lock(ctx, owner)
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
