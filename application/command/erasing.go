package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/party"
)

// Erase empties the personal data of a client, deletes its party and its contacts, and takes the values from its log of
// changes. Issued documents stay. No rule judges it: what the law asks for must not depend on a rule.
func (u *Clients) Erase(ctx context.Context, r Request, id client.ID) error {
	if err := r.Actor.MayWrite(access.Administration); err != nil {
		return err
	}
	return u.do(ctx, r, func(ctx context.Context, w work) error {
		c, err := w.Clients.Lock(ctx, id)
		if err != nil {
			return err
		}
		before := c.State()
		if err := fault.Join(w.CheckVersion(before.Version), w.CheckWrong()); err != nil {
			return err
		}
		c.Erase(w.At)
		if err := w.eraseParts(ctx, id); err != nil {
			return err
		}
		if err := w.Clients.Save(ctx, c); err != nil {
			return err
		}
		after := c.State()
		stored(u.base, w, u.kind, rule.Change[client.State]{Before: &before, After: &after, Cause: rule.Requested})
		return w.respond(ctx, int64(id))
	})
}

// eraseParts erases what belongs to a client.
func (w work) eraseParts(ctx context.Context, id client.ID) error {
	owner := party.Owner{Client: id}
	p, err := w.Parties.Lock(ctx, owner)
	if err == nil && p.Version != 0 {
		err = w.Parties.Remove(ctx, owner)
	}
	if err != nil {
		return err
	}
	if err := w.Contacts.RemoveOf(ctx, contact.ToClient(id)); err != nil {
		return err
	}
	return w.ChangeLog.Forget(ctx, "client", int64(id))
}
