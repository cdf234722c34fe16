// Package rule contains the business rules that go beyond a single aggregate, and reactions to
// changes. Each rule is a type in a file of its own; a Registry holds those of a program.
//
// Rules judge every change of a record: requested by a user or an operator, made because of
// another record, or made by a reaction. The exceptions are those of docs/rules.md:
//
//   - rules, so that a wrong one can always be repaired
//   - contacts that are deleted or relinked together with their client or deal: they are part of
//     that change, because there may be any number of them
//   - users whose rights are taken away at the command line
//   - the pictures of performers, which are no records
//
// A write that changes nothing is not judged.
//
// Chose: a rule returns an error of package fault instead of a list of fields. Because: a rule
// can then refuse a permission as well as a value. Costs: nothing; several refusals of one
// kind still become one error with all their fields.
package rule

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// Rule judges changes of the records with the state S.
type Rule[S any] interface {
	// Name identifies the rule in errors and logs: 1 to 64 lower-case letters, digits,
	// dots, underscores and hyphens. No other rule or reaction of the program has it.
	Name() string
	// Check returns nil to let the change pass, or an error of package fault: Forbidden,
	// Invalid or Conflict. An error of Facts aborts the change. Any other error, or a panic, is a
	// failure of the rule: it refuses the change if the rule is enforced. The context ends after
	// MaxTime. Check may be called several times for one change and must have no other effect.
	Check(ctx context.Context, c Change[S]) error
}

// Adjustable is a rule whose mode administrators may change. Other rules are always enforced.
type Adjustable interface {
	// DefaultMode is the mode of the rule until it is changed.
	DefaultMode() ruledef.Mode
}

// Change is a change of one record, by its states before and after. An invoice has only the
// lines that the write concerns: the one that is added, changed or removed, all if they are
// replaced, and none otherwise. Its totals always cover all lines, and the function Lines
// returns all.
type Change[S any] struct {
	Before *S // nil for a new record
	After  *S // nil for one that is deleted; without an id for a new one, as long as it is not stored
	Actor  access.Actor
	At     time.Time
	Cause  Cause
	// Party is the change of the party of a client or performer, which else stays as it is; nil: the party does.
	Party *PartyChange
	// Reaction is the name of the reaction that makes the change; empty if no reaction does.
	Reaction string
	Facts    Facts
}

// PartyChange is a change of a party.
type PartyChange struct {
	Before, After *party.State // nil: there is none
}

// Operation returns the kind of the change.
func (c Change[S]) Operation() ruledef.Operation {
	switch {
	case c.Before == nil:
		return ruledef.Create
	case c.After == nil:
		return ruledef.Delete
	}
	return ruledef.Update
}

// Cause is the reason for a change.
type Cause uint8

// The causes.
const (
	Requested         Cause = iota + 1 // by the actor's own request for it
	OpenedForInvoice                   // a deal that an invoice needs and its request does not name
	ClientOfInvoice                    // a deal without a client that gains that of its invoice
	AnotherDefault                     // a default status that another one replaces
	ReactionToAnother                  // by a reaction
)

// Reaction makes further changes after a change, in the same unit of work.
type Reaction[S any] interface {
	// Name identifies the reaction in the deal history and in logs. It has the form of a
	// rule's name, and no rule or other reaction of the program has it.
	Name() string
	// React is called after a change was stored; not if nothing has changed. Facts include the
	// change. An error of package fault refuses the whole write.
	React(ctx context.Context, c Change[S], do Actions) error
}

// Actions are the changes that a reaction can make. They have the actor of the original
// change, and need the same rights and pass the same rules as a request of that actor. An
// update that changes nothing has no effect. Actions can cause further reactions; a chain of
// more than MaxChain is a fault.Conflict.
type Actions interface {
	UpdateClient(ctx context.Context, id client.ID, a client.Attributes) error
	CreateDeal(ctx context.Context, a deal.Attributes) (deal.ID, error)
	UpdateDeal(ctx context.Context, id deal.ID, a deal.Attributes) error
	UpdateInvoice(ctx context.Context, id invoice.ID, a invoice.Attributes) error
}

// MaxChain is the maximum length of a chain of reactions that cause each other.
const MaxChain = 8
