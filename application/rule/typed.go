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

// ErrTooManyRounds is the error of a rule that needs more than MaxRounds.
var ErrTooManyRounds = errors.New("its facts depend on each other too deeply")

type asking struct {
	input  Input
	open   []asked // that need answers
	rounds int
}

// asked is a typed rule, and how long it has run so far.
type asked struct {
	*typed
	took time.Duration
}

// ask asks those of the rules that are for the operation, with the facts that are known. It returns
// the questions that open rules need the answers to.
func (j *judging[S]) ask(ctx context.Context, rules []*typed, known func(repository.Question) (repository.Answer, bool)) (a *asking, missing []repository.Question, err error) {
	a = &asking{input: Input{
		Before: state(j.change.Before), After: state(j.change.After), Actor: j.change.Actor, At: j.change.At, Fact: known, Memo: new(any),
	}}
	operation := j.change.Operation()
	j.lap()
	for _, r := range rules {
		if r.On.Has(operation) {
			missing = j.evaluate(ctx, a, asked{typed: r}, missing)
		}
	}
	return a, missing, ctx.Err()
}

// askAgain asks the open rules again, and returns the questions that are left. At the limit of
// rounds these are none.
func (j *judging[S]) askAgain(ctx context.Context, a *asking) (missing []repository.Question, err error) {
	a.rounds++
	open := a.open
	a.open = nil
	j.lap()
	for _, r := range open {
		missing = j.evaluate(ctx, a, r, missing)
	}
	return missing, ctx.Err()
}

// evaluate evaluates the rule and adds its verdict; or leaves it open, and adds its questions to
// those that are missing.
func (j *judging[S]) evaluate(ctx context.Context, a *asking, r asked, missing []repository.Question) []repository.Question {
	var of Judgement
	if of.Err = r.broken; of.Err == nil {
		of = r.expression.Judge(ctx, a.input)
	}
	r.took += j.lap()
	if len(of.Missing) > 0 {
		if a.rounds < MaxRounds {
			a.open = append(a.open, r)
			return appendNew(missing, of.Missing)
		}
		of.Err = ErrTooManyRounds
	}
	j.addJudgement(r, of)
	return missing
}

// judgeOthers asks typed rules that are not enforced, with all facts that they need in as few
// round trips as possible.
func (j *judging[S]) judgeOthers(ctx context.Context, rules []*typed) error {
	if len(rules) == 0 {
		return nil
	}
	a, missing, err := j.ask(ctx, rules, j.facts.lookUp)
	for err == nil && len(missing) > 0 {
		if err = j.facts.ask(ctx, missing); err == nil {
			missing, err = j.askAgain(ctx, a)
		}
	}
	return err
}

// judgeEnforced asks typed rules that are enforced. Those that need facts are deferred.
func (j *judging[S]) judgeEnforced(ctx context.Context, rules []*typed) error {
	if len(rules) == 0 {
		return nil
	}
	a, missing, err := j.ask(ctx, rules, j.facts.lookUpLocked)
	for err == nil && slices.ContainsFunc(missing, isAboutLines) {
		missing, err = j.askLines(ctx, a, missing)
	}
	if err != nil || len(missing) == 0 {
		return err
	}
	return j.deferRules(ctx, a, missing)
}

func isAboutLines(q repository.Question) bool { return q.Kind == repository.LinesOfInvoice }

// askLines reads the lines of the invoice, which are those before the change, and asks the open
// rules again.
func (j *judging[S]) askLines(ctx context.Context, a *asking, missing []repository.Question) ([]repository.Question, error) {
	lines := slices.DeleteFunc(slices.Clone(missing), func(q repository.Question) bool { return !isAboutLines(q) })
	answers, err := j.facts.store.Answer(ctx, lines)
	if err != nil {
		return nil, err
	}
	j.facts.read.learn(lines, answers)
	return j.askAgain(ctx, a)
}

// deferRules asks the questions at the end of the unit of work, and the open rules again then. If
// facts are not deferred, both happen now.
func (j *judging[S]) deferRules(ctx context.Context, a *asking, questions []repository.Question) error {
	isDeferred, refusals := false, 0
	judge := func(ctx context.Context, answers []repository.Answer) ([]repository.Question, error) {
		j.facts.locked.learn(questions, answers)
		before := len(*j.verdicts)
		var err error
		questions, err = j.askAgain(ctx, a)
		if err == nil && isDeferred && slices.ContainsFunc(questions, isAboutLines) {
			err = errLinesLate
		}
		switch {
		case err != nil:
			*j.verdicts = (*j.verdicts)[:before]
			return nil, err
		case isDeferred && len(questions) == 0:
			return nil, fault.Join(j.refusals[refusals:]...)
		}
		return questions, nil
	}
	err := j.facts.store.Defer(ctx, repository.Deferred{Questions: questions, Judge: judge})
	if err != nil || len(a.open) == 0 {
		return err
	}
	isDeferred, refusals = true, len(j.refusals)
	// The caller goes on to use its own.
	j.change.Before, j.change.After = copied(j.change.Before), copied(j.change.After)
	a.input.Before, a.input.After = state(j.change.Before), state(j.change.After)
	return nil
}

// errLinesLate refuses a write whose deferred rules turn out to need the lines of before the
// change. It is judged again, at once.
var errLinesLate = fault.New(fault.Invalid, "a rule needs the lines of the invoice before the change")

func (j *judging[S]) addJudgement(r asked, of Judgement) {
	v := Verdict{Rule: r.Name, ID: r.ID, Mode: r.Mode, Took: r.took}
	message := of.Message
	switch {
	case of.Err != nil:
		v.Outcome = Failed
		message = fmt.Sprintf("the rule %s cannot be evaluated: %v", r.Name, of.Err)
		if r.Field != "" {
			message = "cannot be checked: " + message
		}
	case of.Passes:
		j.add(v, nil)
		return
	}
	j.add(v, &fault.Error{Kind: fault.Invalid, Message: message, Fields: []fault.Field{{Name: r.Field, Message: message}}})
}

// state returns a state for an expression: nil if there is none.
func state[S any](s *S) any {
	if s == nil {
		return nil
	}
	return s
}

func copied[S any](s *S) *S {
	if s == nil {
		return nil
	}
	c := *s
	return &c
}

func appendNew(all, more []repository.Question) []repository.Question {
	for _, q := range more {
		if !slices.Contains(all, q) {
			all = append(all, q)
		}
	}
	return all
}
