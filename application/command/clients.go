package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Clients are the use cases that change clients.
type Clients struct {
	records[client.ID, *client.Client, client.State]
}

// NewClients returns the use cases of clients.
func NewClients(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Clients {
	return &Clients{records[client.ID, *client.Client, client.State]{
		base:    base{tx, clock, rules, access.Business},
		repo:    func(s repository.Stores) repository.Store[client.ID, *client.Client] { return s.Clients },
		version: func(s client.State, _ client.ID) int64 { return s.Version },
		kind:    rule.Clients,
		ref:     func(s client.State) string { return s.Ref },
	}}
}

// Create adds a client and returns its id. The responsible user is the actor,
// unless the attributes name another one.
func (u *Clients) Create(ctx context.Context, r Request, a client.Attributes) (client.ID, error) {
	return u.create(ctx, r, u.draft(a))
}

func (u *Clients) draft(a client.Attributes) preparation[*client.Client, client.State] {
	return func(_ context.Context, w work) (d draft[*client.Client, client.State], _ error) {
		owner := client.State{UserID: w.Actor.UserID}
		record, invalid := client.New(owner.UserID, a, w.At)
		d = draftOf(owner.With(a), record, invalid)
		d.ignored = d.proposed.Type.Foreign()
		d.references = clientReferences(owner, d.proposed)
		return d, nil
	}
}

// Update changes the attributes that were sent; the rest stays unchanged.
func (u *Clients) Update(ctx context.Context, r Request, id client.ID, a client.Attributes) error {
	return u.update(ctx, r, id, u.edit(a))
}

func (u *Clients) edit(a client.Attributes) edit[*client.Client, client.State] {
	e := editOf(
		func(_ context.Context, w work, c *client.Client) error { return c.Update(a, w.At) },
		func(_ work, before client.State) client.State { return before.With(a) })
	e.ignored = func(before client.State) []string { return append(before.Type.Foreign(), "type") }
	e.references = clientReferences
	return e
}

// Put changes the client with the ref in the attributes as Update does, or creates it as Create does.
func (u *Clients) Put(ctx context.Context, r Request, a client.Attributes) error {
	return u.put(ctx, r, a.Ref.Or(""), u.draft(a), u.edit(a))
}

// Delete deletes a client and its contacts. A client with deals is a
// fault.Conflict.
func (u *Clients) Delete(ctx context.Context, r Request, id client.ID) error {
	return u.remove(ctx, r, id, nil, removeContacts(contact.ToClient(id)))
}

func clientReferences(before, after client.State) (refs references) {
	refs.ids.User = changed(before.UserID, after.UserID)
	return refs
}

func removeContacts(link contact.Link) func(ctx context.Context, w work) error {
	return func(ctx context.Context, w work) error { return w.Contacts.RemoveOf(ctx, link) }
}
