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

// Clients are the use cases that change clients. The responsible user of a new client is the actor, unless the
// attributes name another one. The contacts of a client are deleted with it.
type Clients struct {
	Plain[client.ID, *client.Client, client.State, client.Attributes]
}

// NewClients returns the use cases of clients.
func NewClients(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Clients {
	return &Clients{Plain[client.ID, *client.Client, client.State, client.Attributes]{
		records: records[client.ID, *client.Client, client.State]{
			base:    base{tx, clock, rules, access.Business},
			repo:    func(s repository.Stores) repository.Store[client.ID, *client.Client] { return s.Clients },
			version: func(s client.State, _ client.ID) int64 { return s.Version },
			kind:    rule.Clients,
			ref:     func(s client.State) string { return s.Ref },
		},
		initial:    func(w work) client.State { return client.State{UserID: w.Actor.UserID} },
		make:       func(w work, a client.Attributes) (*client.Client, error) { return client.New(w.Actor.UserID, a, w.At) },
		amend:      (*client.Client).Update,
		key:        func(a client.Attributes) string { return a.Ref.Or("") },
		references: clientReferences,
		ignored:    ignoredOfClient,
		cascade: func(ctx context.Context, w work, id client.ID) error {
			return w.Contacts.RemoveOf(ctx, contact.ToClient(id))
		},
	}}
}

// ignoredOfClient are the attributes of the other type and, of a client that exists, the type.
func ignoredOfClient(s client.State) []string {
	if s.ID == 0 {
		return s.Type.Foreign()
	}
	return append(s.Type.Foreign(), "type")
}

func clientReferences(before, after client.State) (refs references) {
	refs.ids.User = changed(before.UserID, after.UserID)
	return refs
}
