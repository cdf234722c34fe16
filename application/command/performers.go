package command

import (
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Performers are the use cases that change performers. They do not change invoices that a performer has issued.
type Performers struct {
	Plain[performer.ID, *performer.Performer, performer.State, performer.Attributes]
}

// NewPerformers returns the use cases of performers.
func NewPerformers(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Performers {
	return &Performers{Plain[performer.ID, *performer.Performer, performer.State, performer.Attributes]{
		records: records[performer.ID, *performer.Performer, performer.State]{
			base:    base{tx, clock, rules, access.Reference},
			repo:    func(s repository.Stores) repository.Store[performer.ID, *performer.Performer] { return s.Performers },
			version: func(s performer.State, _ performer.ID) int64 { return s.Version },
			kind:    rule.Performers,
			ref:     func(s performer.State) string { return s.Ref },
		},
		initial: func(work) performer.State { return performer.State{Status: performer.DefaultStatus} },
		make:    func(w work, a performer.Attributes) (*performer.Performer, error) { return performer.New(a, w.At) },
		amend:   (*performer.Performer).Update,
		key:     func(a performer.Attributes) string { return a.Ref.Or("") },
	}}
}
