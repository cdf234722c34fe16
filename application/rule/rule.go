// Package rule contains the business rules beyond a single aggregate, and what follows from
// a change. A rule is a type of its own in a file of its own; Registry has those of a program.
//
// Rules are asked about every change of a record, whichever way it is made: requested by a
// user or an operator, by a record that needs another one, or by a reaction. Contacts that
// are deleted or handed over together with their client or deal, of which there may be any
// number, are part of that change and have none of their own.
//
// Chose: a rule returns an error of package fault instead of a bare list of
// fields. Because: the first rule refuses a permission, not a value, and a rule
// knows best which of the two it is. Costs: nothing; several refusals of one kind
// still are one error with all their fields.
package rule

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// Rule judges changes of the records with the state S.
type Rule[S any] interface {
	// Name identifies the rule in errors and logs: 1 to 64 lower-case letters, digits,
	// dots, underscores and hyphens. No other rule or reaction of the program has it.
	Name() string
	// Check returns nil to let the change pass, or an error of package fault: Forbidden,
	// Invalid or Conflict. Any other error, such as one of Facts, aborts the change. It
	// may be called several times for one change and must have no other effect.
	Check(ctx context.Context, c Change[S]) error
}

// Adjustable is a rule whose mode administrators may change. Other rules are always enforced.
type Adjustable interface {
	// DefaultMode is the mode of the rule until it is changed.
	DefaultMode() ruledef.Mode
}

// Change is one change of a record, in the words of its State. The lines of an invoice
// are those that the write concerns: a line that is added, changed or removed, all if they
// are replaced, and none otherwise; its totals are always those of all lines. Lines has all.
type Change[S any] struct {
	Before *S // nil for a new record
	After  *S // nil for one that is deleted; without an id for a new one, as long as it is not stored
	Actor  access.Actor
	At     time.Time
	Cause  Cause
	// Reaction is the name of the reaction that makes the change; empty if it is none.
	Reaction string
	Facts    Facts
}

// Operation is what the change does to the record.
func (c Change[S]) Operation() ruledef.Operation {
	switch {
	case c.Before == nil:
		return ruledef.Create
	case c.After == nil:
		return ruledef.Delete
	}
	return ruledef.Update
}

// Cause is why a record changes.
type Cause uint8

// The causes.
const (
	Requested         Cause = iota + 1 // by the actor's own request for it
	OpenedForInvoice                   // a deal that an invoice needs and its request does not name
	ClientOfInvoice                    // a deal without a client that gains that of its invoice
	AnotherDefault                     // a default status that another one replaces
	ReactionToAnother                  // by a reaction
)

// Reaction changes further records because one has changed, in the same unit of work.
type Reaction[S any] interface {
	// Name identifies the reaction in the deal history and in logs, as that of a Rule.
	Name() string
	// React is called after the change is stored, unless it has changed nothing. Facts
	// include the change. An error of package fault refuses all of it.
	React(ctx context.Context, c Change[S], do Actions) error
}

// Actions are the changes that a reaction can make. They are made by the actor of the change
// that the reaction follows, with the rights and under the rules of a request; a
// change to what a record is already is none. They can cause further reactions, up to
// MaxChain in a row; more are a fault.Conflict.
type Actions interface {
	UpdateClient(ctx context.Context, id client.ID, a client.Attributes) error
	CreateDeal(ctx context.Context, a deal.Attributes) (deal.ID, error)
	UpdateDeal(ctx context.Context, id deal.ID, a deal.Attributes) error
	UpdateInvoice(ctx context.Context, id invoice.ID, a invoice.Attributes) error
}

// MaxChain is the maximum number of reactions that follow from one another.
const MaxChain = 8
