package expression

import (
	"slices"
	"sync"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// evaluation is the variables of one judgement, and the questions whose answers are missing.
// It is an interpreter.Activation.
type evaluation struct {
	rule.Input
	zone                        *time.Location
	clock                       func() time.Time // for the limit of time
	before, after, actor, facts record
	beforeItems, afterItems     ref.Val // as soon as they are known
	questions                   []repository.Question
	meter                       meter
	frame                       *interpreter.ExecutionFrame // of all expressions
}

// maxQuestions limits what one judgement may ask at once.
const maxQuestions = 100

var evaluations = sync.Pool{New: func() any {
	e := new(evaluation)
	e.frame = interpreter.AsFrame(e)
	return e
}}

// evaluationOf is the evaluation of the change for the expression. That of the expression before
// it serves if it is about the same states.
func evaluationOf(x *Expression, in rule.Input) *evaluation {
	if in.Memo == nil {
		return newEvaluation(x, in)
	}
	e, ok := (*in.Memo).(*evaluation)
	if !ok || e.Before != in.Before || e.After != in.After {
		e = newEvaluation(x, in)
		*in.Memo = e
	}
	e.questions = e.questions[:0]
	return e
}

func newEvaluation(x *Expression, in rule.Input) *evaluation {
	e := evaluations.Get().(*evaluation)
	e.Input, e.zone, e.clock = in, x.zone, x.clock
	e.before = record{kind: x.kind, state: in.Before, in: e}
	e.after = record{kind: x.kind, state: in.After, in: e}
	e.actor = record{kind: actorKind, state: &e.Actor, in: e}
	e.facts = record{kind: factsKind, in: e}
	return e
}

// release gives the evaluation back, unless it is shared; none of its values may be used
// afterwards.
func (e *evaluation) release() {
	if e.Memo != nil {
		return
	}
	*e = evaluation{questions: e.questions[:0], frame: e.frame}
	evaluations.Put(e)
}

// operations are the values of the variable operation.
var operations = map[ruledef.Operation]ref.Val{
	ruledef.Create: types.String("create"), ruledef.Update: types.String("update"), ruledef.Delete: types.String("delete"),
}

// variables are those of every expression, and how they are read.
var variables = map[string]func(e *evaluation) ref.Val{
	"before":    func(e *evaluation) ref.Val { return orNull(&e.before) },
	"after":     func(e *evaluation) ref.Val { return orNull(&e.after) },
	"actor":     func(e *evaluation) ref.Val { return &e.actor },
	"facts":     func(e *evaluation) ref.Val { return &e.facts },
	"now":       func(e *evaluation) ref.Val { return types.Timestamp{Time: e.At.In(e.zone)} },
	"operation": func(e *evaluation) ref.Val { return operations[e.Operation()] },
}

func (e *evaluation) ResolveName(name string) (any, bool) {
	if name == meterName {
		return e, true
	}
	get, ok := variables[name]
	if !ok {
		return nil, false
	}
	return get(e), true
}

// Parent returns nil: there are no other variables.
func (e *evaluation) Parent() interpreter.Activation { return nil }

func orNull(r *record) ref.Val {
	if r.state == nil {
		return types.NullValue
	}
	return r
}

// answer is the answer to a question; if it is missing, a value that stands for it: an unknown
// with the number of the question, or an error.
func (e *evaluation) answer(q repository.Question) (a repository.Answer, missing ref.Val) {
	if e.Fact != nil {
		if a, ok := e.Fact(q); ok {
			return a, nil
		}
	}
	i := slices.Index(e.questions, q)
	if i < 0 {
		if len(e.questions) == maxQuestions {
			return a, types.NewErr("it asks for more than %d facts at once", maxQuestions)
		}
		i = len(e.questions)
		e.questions = append(e.questions, q)
	}
	return a, unknowns[i]
}

// unknowns are the values that stand for missing answers, by the number of the question.
var unknowns = func() (all [maxQuestions]*types.Unknown) {
	for i := range all {
		all[i] = types.NewUnknown(int64(i), nil)
	}
	return all
}()

func (e *evaluation) missing(u *types.Unknown) []repository.Question {
	if i := slices.Index(unknowns[:len(e.questions)], u); i >= 0 {
		return []repository.Question{e.questions[i]}
	}
	var questions []repository.Question
	for _, i := range u.IDs() {
		questions = append(questions, e.questions[i])
	}
	return questions
}

func (e *evaluation) listOf(lines []invoice.Line) ref.Val {
	records := make([]record, len(lines))
	values := make([]ref.Val, len(lines))
	for i := range lines {
		records[i] = record{kind: lineKind, state: &lines[i], in: e}
		values[i] = &records[i]
	}
	return types.NewRefValList(types.DefaultTypeAdapter, values)
}
