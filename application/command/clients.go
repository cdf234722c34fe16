package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Clients changes clients.
type Clients struct {
	unit
	rules rule.Set[client.State]
}

// NewClients makes the use cases of clients.
func NewClients(tx repository.Tx, clock ports.Clock, rules rule.Set[client.State]) *Clients {
	return &Clients{unit: unit{tx: tx, clock: clock}, rules: rules}
}

// Create adds a client, which belongs to the actor unless the attributes name
// another user, and returns its id.
func (u *Clients) Create(ctx context.Context, r Request, a client.Attributes) (client.ID, error) {
	return create(ctx, u.unit, r, access.Business, func(ctx context.Context, s repository.Stores, meta repository.Meta) (client.ID, error) {
		proposed := client.State{UserID: r.Actor.UserID}.With(a)
		c, err := client.New(r.Actor.UserID, a, meta.At)
		if err := fault.Join(u.rules.Check(nil, &proposed, r.Actor), r.unread(proposed.Type.Foreign()...), err); err != nil {
			return 0, err
		}
		if err := checkOwner(ctx, s, client.State{}, c.State()); err != nil {
			return 0, err
		}
		return s.Clients.Add(ctx, c)
	})
}

// Update changes what the attributes carry; the rest stays as it is.
func (u *Clients) Update(ctx context.Context, r Request, id client.ID, a client.Attributes) error {
	return change(ctx, u.unit, r, access.Business, id, func(ctx context.Context, s repository.Stores, meta repository.Meta) error {
		c, err := s.Clients.Lock(ctx, id)
		if err != nil {
			return err
		}
		before := c.State()
		proposed := before.With(a)
		refused := u.rules.Check(&before, &proposed, r.Actor)
		if err := fault.Join(refused, r.checkVersion(before.Version), r.unread(before.Type.Foreign()...), c.Update(a, meta.At)); err != nil {
			return err
		}
		if err := checkOwner(ctx, s, before, c.State()); err != nil {
			return err
		}
		return s.Clients.Save(ctx, c)
	})
}

// Delete removes a client and its contacts. One that has deals stays: a
// fault.Conflict.
func (u *Clients) Delete(ctx context.Context, r Request, id client.ID) error {
	return u.do(ctx, r, access.Business, func(ctx context.Context, s repository.Stores, _ repository.Meta) error {
		c, err := s.Clients.Lock(ctx, id)
		if err != nil {
			return err
		}
		before := c.State()
		if err := r.checkVersion(before.Version); err != nil {
			return err
		}
		if err := u.rules.Check(&before, nil, r.Actor); err != nil {
			return err
		}
		contacts, err := s.Contacts.LockOf(ctx, contact.ToClient(id))
		if err != nil {
			return err
		}
		for _, c := range contacts {
			if err := s.Contacts.Remove(ctx, c); err != nil {
				return err
			}
		}
		return s.Clients.Remove(ctx, c)
	})
}

// checkOwner looks up a new responsible user.
func checkOwner(ctx context.Context, s repository.Stores, before, after client.State) error {
	if before.UserID == after.UserID {
		return nil
	}
	return checkReferences(ctx, reference{"user", func(ctx context.Context) (bool, error) {
		return s.Users.Exists(ctx, after.UserID)
	}})
}
