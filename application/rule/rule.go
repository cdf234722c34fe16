// Package rule contains the business rules beyond a single aggregate: which users may
// make which changes. A rule is a type of its own
// in a file of its own, and one line where the program is wired.
//
// Chose: a rule returns an error of package fault instead of a bare list of
// fields. Because: the first rule refuses a permission, not a value, and a rule
// knows best which of the two it is. Costs: nothing; several refusals of one kind
// still are one error with all their fields.
package rule

import (
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
)

// Change is one change of an aggregate, in the words of its State. The lines of an invoice
// are those that the write concerns: a line that is added, changed or removed, all if they
// are replaced, and none otherwise; its totals are always those of all lines.
type Change[S any] struct {
	Before *S // nil for a new record
	After  *S // nil for one that is deleted
	Actor  access.Actor
	Cause  Cause
}

// Cause is why a record changes.
type Cause uint8

// The causes.
const (
	Requested        Cause = iota + 1 // by the actor's own request for it
	OpenedForInvoice                  // a deal that an invoice needs and its request does not name
)

// Rule judges one change. The error is of package fault; nil lets the change pass.
type Rule[S any] interface {
	Check(c Change[S]) error
}

// Set is all the rules of one aggregate.
type Set[S any] []Rule[S]

// Check asks every rule and joins what they refuse.
func (s Set[S]) Check(c Change[S]) error {
	errs := make([]error, len(s))
	for i, r := range s {
		errs[i] = r.Check(c)
	}
	return fault.Join(errs...)
}
