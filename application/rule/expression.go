package rule

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Compiler compiles typed rules.
type Compiler interface {
	// Compile parses and type-checks the expression and the message of a rule. An error in them
	// is a fault.Invalid that names the field, with line and column.
	Compile(r ruledef.State) (Expression, error)
}

// Expression is a compiled expression. It is safe for concurrent use, and bounded in time and
// memory.
type Expression interface {
	// Facts returns the kinds of facts that a judgement may need, except for LinesOfInvoice,
	// which is only needed of the changed invoice.
	Facts() repository.FactKinds
	// Judge evaluates the expression for a change.
	Judge(ctx context.Context, in Input) Judgement
}

// Input is the change that an expression judges.
type Input struct {
	Before any // *S of the resource; nil for a new record
	After  any // nil for one that is deleted
	Party  *PartyChange
	Actor  access.Actor
	At     time.Time
	// HidesID is whether After, a stored record, is judged as if it were new: neither it nor a line of it has an id then.
	HidesID bool
	// Fact returns the answer to a question; false if it is not known yet.
	Fact func(q repository.Question) (repository.Answer, bool)
}

// Operation returns the kind of the change.
func (in Input) Operation() ruledef.Operation {
	switch {
	case in.Before == nil:
		return ruledef.Create
	case in.After == nil:
		return ruledef.Delete
	}
	return ruledef.Update
}

// Judgement is the result of evaluating an expression.
type Judgement struct {
	// Missing are the questions whose answers the evaluation lacked. If there are any, it has
	// to be repeated with the answers.
	Missing []repository.Question
	Passes  bool
	Message string // of a refusal
	// Err is why the evaluation failed: the cost limit or time, or an error such as a
	// division by zero.
	Err error
}

type noCompiler struct{}

func (noCompiler) Compile(ruledef.State) (Expression, error) {
	return nil, fault.ForField(fault.Invalid, "expression", "cannot be evaluated: this program has no compiler of expressions")
}
