package rule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
)

// MaxRounds is the maximum number of round trips in which a rule reads facts, if its questions
// depend on earlier answers.
const MaxRounds = 8

// maxTyped is the time after which the typed rules of a write that have not run yet fail: each one has a limit,
// but there may be any number of them.
const maxTyped = 2 * time.Second

var errSpent = fmt.Errorf("the rules of this write take longer than %v together", maxTyped)

// ErrTooManyRounds is the error of a rule that needs more than MaxRounds.
var ErrTooManyRounds = errors.New("its facts depend on each other too deeply")

// openRule is a typed rule without a verdict so far, and how long it has run.
type openRule struct {
	*typed
	took time.Duration
}

// judgeTyped asks those of the rules that are for the operation. The facts that they lack are
// read together, in as few round trips as possible.
func (j *judging[S]) judgeTyped(ctx context.Context, rules []*typed) error {
	var open []openRule
	for _, r := range rules {
		if r.On.Has(j.change.Operation()) {
			open = append(open, openRule{typed: r})
		}
	}
	in := Input{
		Before: state(j.change.Before), After: state(j.change.After), Party: j.change.Party, Actor: j.change.Actor,
		At: j.change.At, Fact: j.facts.lookUp,
	}
	for round := range MaxRounds + 1 {
		if len(open) == 0 {
			return nil
		}
		var missing []repository.Question
		open, missing = j.evaluate(ctx, open, in, round)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.facts.ask(ctx, missing); err != nil {
			return err
		}
	}
	return nil
}

// evaluate evaluates the open rules, and returns those that lack facts, with their questions.
func (j *judging[S]) evaluate(ctx context.Context, open []openRule, in Input, round int) (left []openRule, missing []repository.Question) {
	j.lap()
	for _, r := range open {
		verdict := Judgement{Err: r.broken}
		switch {
		case r.broken != nil:
		case j.spent >= maxTyped:
			verdict.Err = errSpent
		default:
			verdict = r.expression.Judge(ctx, in)
		}
		took := j.lap()
		r.took += took
		j.spent += took
		switch {
		case len(verdict.Missing) == 0:
			j.addJudgement(r, verdict)
		case round == MaxRounds:
			j.addJudgement(r, Judgement{Err: ErrTooManyRounds})
		default:
			left = append(left, r)
			missing = appendNew(missing, verdict.Missing)
		}
	}
	return left, missing
}

func (j *judging[S]) addJudgement(r openRule, judgement Judgement) {
	v := Verdict{Rule: r.Name, ID: r.ID, Mode: r.Mode, Took: r.took}
	message, kind := judgement.Message, fault.Invalid
	if r.Forbidden {
		kind = fault.Forbidden
	}
	switch {
	case judgement.Err != nil:
		v.Outcome, kind = Failed, fault.Invalid
		message = fmt.Sprintf("the rule %s cannot be evaluated: %v", r.Name, judgement.Err)
		if r.Field != "" {
			message = "cannot be checked: " + message
		}
	case judgement.Passes:
		j.add(v, nil)
		return
	}
	j.add(v, &fault.Error{Kind: kind, Message: message, Fields: []fault.Field{{Name: r.Field, Message: message}}})
}

// state returns a state for an expression: nil if there is none.
func state[S any](s *S) any {
	if s == nil {
		return nil
	}
	return s
}

func appendNew(all, added []repository.Question) []repository.Question {
	for _, q := range added {
		if !slices.Contains(all, q) {
			all = append(all, q)
		}
	}
	return all
}
