package expression

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// The limits of one evaluation.
const (
	maxCost      = 500_000 // as CEL counts: steps, and tenths of the characters that are read or written
	maxTime      = time.Second
	maxQuestions = 100 // asked at once

	charactersPerCost = 10
)

var (
	errTooMuch = errors.New("it takes too many steps: it exceeds the cost limit")
	errTooSlow = fmt.Errorf("it takes longer than %v", maxTime)
	errNull    = errors.New("a function or operator gets null where it needs a value")
)

// newProgram returns the program of a checked tree. steps are those of its regular expressions.
func newProgram(e *cel.Env, checked *cel.Ast, steps map[string]int) (cel.Program, error) {
	return e.Program(checked, cel.EvalOptions(cel.OptOptimize), cel.InterruptCheckFrequency(1), cel.CostLimit(maxCost),
		cel.CostTrackerOptions(costs(steps)...))
}

// costs charges functions that make texts for the length of the text, and regular expressions for
// the length of the text that they read times their steps.
func costs(steps map[string]int) (options []interpreter.CostTrackerOption) {
	text := func(_ []ref.Val, result ref.Val) *uint64 { return cost(result, 1) }
	for _, overload := range []string{"text_lower", "text_upper", "text_trim"} {
		options = append(options, interpreter.OverloadCostTracker(overload, text))
	}
	pattern := func(args []ref.Val, _ ref.Val) *uint64 {
		p, _ := args[1].(types.String)
		return cost(args[0], steps[string(p)])
	}
	return append(options,
		interpreter.OverloadCostTracker(overloads.Matches, pattern), interpreter.OverloadCostTracker(overloads.MatchesString, pattern))
}

func cost(text ref.Val, perCharacter int) *uint64 {
	s, _ := text.(types.String)
	n := 1 + uint64(len(s)*perCharacter)/charactersPerCost
	return &n
}

// evaluation has the variables of one judgement, and the questions whose answers are missing. It is
// an interpreter.Activation.
type evaluation struct {
	rule.Input
	zone                        *time.Location
	before, after, actor, facts record
	judged                      repository.Record // that no answer counts
	beforeItems, afterItems     ref.Val           // as soon as they are known
	questions                   []repository.Question
	expression                  *Expression
	variables                   record
	values                      []ref.Val // of the variables; nil as long as one is not needed
	cost                        uint64    // of the programs that have ended
	ctx                         context.Context
}

func newEvaluation(ctx context.Context, x *Expression, in rule.Input) *evaluation {
	e := &evaluation{Input: in, zone: x.zone, expression: x, values: make([]ref.Val, len(x.variables)), ctx: ctx}
	e.variables = record{kind: variablesKind, in: e}
	e.before = record{kind: x.kind, state: in.Before, in: e}
	e.after = record{kind: x.kind, state: in.After, in: e}
	e.actor = record{kind: actorKind, state: &e.Actor, in: e}
	e.facts = record{kind: factsKind, in: e}
	e.judged = repository.Record{Resource: x.resource, ID: e.id()}
	return e
}

// id returns the id of the judged record; zero for a new one.
func (e *evaluation) id() int64 {
	r := &e.after
	if r.state == nil {
		r = &e.before
	}
	id, ok := r.kind.attribute("id")
	if !ok || r.state == nil {
		return 0
	}
	return idFrom(id.get(r))
}

// run evaluates a program: an error is a *types.Err, and a missing fact a *types.Unknown.
func (e *evaluation) run(p cel.Program) ref.Val {
	if e.cost > maxCost {
		return types.WrapErr(errTooMuch)
	}
	value, details, err := p.ContextEval(e.ctx, e)
	if details != nil && details.ActualCost() != nil {
		e.cost += *details.ActualCost()
	}
	var cancelled interpreter.EvalCancelledError
	switch {
	case errors.As(err, &cancelled):
		e.cost, err = maxCost+1, errTooMuch
	case err == nil && e.cost > maxCost:
		err = errTooMuch
	case errors.Is(err, interpreter.InterruptError{}), err == nil && e.ctx.Err() != nil: // a variable was too slow, and || did not need it
		err = context.Cause(e.ctx)
	case err != nil && isNoOverload(err):
		err = errNull
	case err == nil:
		return value
	}
	return types.WrapErr(err)
}

// operations are the values of the variable operation.
var operations = map[ruledef.Operation]ref.Val{
	ruledef.Create: types.String("create"), ruledef.Update: types.String("update"), ruledef.Delete: types.String("delete"),
}

// ResolveName implements interpreter.Activation.
func (e *evaluation) ResolveName(name string) (any, bool) {
	switch name {
	case "before":
		return orNull(&e.before), true
	case "after":
		return orNull(&e.after), true
	case "actor":
		return &e.actor, true
	case "facts":
		return &e.facts, true
	case variablesKind.name:
		return &e.variables, true
	case "now":
		return types.Timestamp{Time: e.At.In(e.zone)}, true
	case "operation":
		return operations[e.Operation()], true
	}
	return nil, false
}

// Parent returns nil: there are no other variables.
func (e *evaluation) Parent() interpreter.Activation { return nil }

func orNull(r *record) ref.Val {
	if r.state == nil {
		return types.NullValue
	}
	return r
}

// unknown stands for a missing answer. CEL goes on, and the value is unknown too unless it does not
// depend on the answer.
var unknown = types.NewUnknown(1, nil)

// answer returns the answer to a question; if it is missing, the value that stands for it: unknown,
// or an error.
func (e *evaluation) answer(q repository.Question) (a repository.Answer, missing ref.Val) {
	q = q.Without(e.judged)
	if e.Fact != nil {
		if a, ok := e.Fact(q); ok {
			return a, nil
		}
	}
	if !slices.Contains(e.questions, q) {
		if len(e.questions) == maxQuestions {
			return a, types.NewErr("it asks for more than %d facts at once", maxQuestions)
		}
		e.questions = append(e.questions, q)
	}
	return a, unknown
}

// listOf returns a list of records of the kind.
func listOf[S any](e *evaluation, k *kind, states []S) ref.Val {
	records := make([]record, len(states))
	values := make([]ref.Val, len(states))
	for i := range states {
		records[i] = record{kind: k, state: &states[i], in: e}
		values[i] = &records[i]
	}
	return types.NewRefValList(types.DefaultTypeAdapter, values)
}
