package rule

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Compiler makes expressions of typed rules.
type Compiler interface {
	// Compile parses and type-checks the expression and the message of a rule. Wrong
	// ones are a fault.Invalid that names the field, with line and column.
	Compile(r ruledef.State) (Expression, error)
}

// Expression is a compiled rule. It is safe for concurrent use, and bounded in time and memory.
type Expression interface {
	// Facts are the kinds of facts that a judgement may need, except for LinesOfInvoice, which
	// it asks about the changed invoice only.
	Facts() repository.FactKinds
	// Attributes are the names of the attributes of the record, before or after the change,
	// that a judgement may read.
	Attributes() []string
	// Judge evaluates the expression.
	Judge(ctx context.Context, in Input) Judgement
}

// Input is a change as an expression sees it.
type Input struct {
	Before any // *S of the resource; nil for a new record
	After  any // nil for one that is deleted
	Actor  access.Actor
	At     time.Time
	// Fact is the answer to a question, if it is known so far.
	Fact func(q repository.Question) (repository.Answer, bool)
	// Memo is what one expression has made of the change, such as values of attributes, so that
	// the next one need not make it again; nil: nothing is kept.
	Memo *any
}

// Operation is what the change does to the record.
func (in Input) Operation() ruledef.Operation {
	switch {
	case in.Before == nil:
		return ruledef.Create
	case in.After == nil:
		return ruledef.Delete
	}
	return ruledef.Update
}

// Judgement is what an expression says of a change.
type Judgement struct {
	// Missing are questions whose answers are needed for a judgement. If there are any,
	// the expression is to be evaluated again with them.
	Missing []repository.Question
	Passes  bool
	Message string // of a refusal
	// Err is why there is no judgement: the limit of cost or time, or an error of the
	// expression such as a division by zero.
	Err error
}

// noCompiler is the compiler of a program that has none.
type noCompiler struct{}

func (noCompiler) Compile(ruledef.State) (Expression, error) {
	return nil, fault.ForField(fault.Invalid, "expression", "cannot be evaluated: this program has no compiler of expressions")
}
