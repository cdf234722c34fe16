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

// asking is typed rules that are asked about one change.
type asking struct {
	rules  []asked
	input  Input
	rounds int
}

// asked is a typed rule, and what it has said so far.
type asked struct {
	*typed
	judgement Judgement
	took      time.Duration
}

// ask prepares those of the rules to be asked that are for the operation, with the facts that are
// known.
func (j *judging[S]) ask(rules []*typed, known func(repository.Question) (repository.Answer, bool)) *asking {
	a := &asking{rules: make([]asked, 0, len(rules)), input: Input{
		Before: state(j.change.Before), After: state(j.change.After), Actor: j.change.Actor, At: j.change.At, Fact: known, Memo: new(any),
	}}
	operation := j.change.Operation()
	for _, r := range rules {
		if r.On.Has(operation) {
			a.rules = append(a.rules, asked{typed: r})
		}
	}
	return a
}

// evaluate evaluates the rules that have no judgement so far, and returns the questions that they
// need the answers to. At the limit of rounds these are none.
func (j *judging[S]) evaluate(ctx context.Context, a *asking) (missing []repository.Question, err error) {
	j.lap()
	for i := range a.rules {
		r := &a.rules[i]
		switch {
		case r.broken != nil:
			r.judgement.Err = r.broken
		case a.rounds == 0 || len(r.judgement.Missing) > 0:
			r.judgement = r.expression.Judge(ctx, a.input)
			missing = appendNew(missing, r.judgement.Missing)
			r.took += j.lap()
		}
	}
	if a.rounds++; a.rounds > MaxRounds {
		missing = nil
	}
	return missing, ctx.Err()
}

// judgeOthers asks typed rules that are not enforced, with all facts that they need in as few
// round trips as possible.
func (j *judging[S]) judgeOthers(ctx context.Context, rules []*typed) error {
	if len(rules) == 0 {
		return nil
	}
	a := j.ask(rules, j.facts.lookUp)
	missing, err := j.evaluate(ctx, a)
	for err == nil && len(missing) > 0 {
		if err = j.facts.ask(ctx, missing); err == nil {
			missing, err = j.evaluate(ctx, a)
		}
	}
	if err != nil {
		return err
	}
	j.addAll(a.rules)
	return nil
}

// judgeEnforced asks typed rules that are enforced. Those that need facts are deferred.
func (j *judging[S]) judgeEnforced(ctx context.Context, rules []*typed) error {
	if len(rules) == 0 {
		return nil
	}
	a := j.ask(rules, j.facts.lookUpLocked)
	missing, err := j.evaluate(ctx, a)
	for err == nil && slices.ContainsFunc(missing, isAboutLines) {
		if missing, err = j.askLines(ctx, a, missing); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		j.addAll(a.rules)
		return nil
	}
	return j.deferRules(ctx, a, missing)
}

func isAboutLines(q repository.Question) bool { return q.Kind == repository.LinesOfInvoice }

// askLines reads the lines of the invoice, which are those before the change, and evaluates the
// rules with them.
func (j *judging[S]) askLines(ctx context.Context, a *asking, missing []repository.Question) ([]repository.Question, error) {
	lines := slices.DeleteFunc(slices.Clone(missing), func(q repository.Question) bool { return !isAboutLines(q) })
	answers, err := j.facts.store.Answer(ctx, lines)
	if err != nil {
		return nil, err
	}
	j.facts.read.learn(lines, answers)
	return j.evaluate(ctx, a)
}

// deferRules asks the questions at the end of the unit of work, and evaluates then the rules that
// need the answers. The others are judged now. If the facts are not deferred, all are judged now,
// in the order of the rules.
func (j *judging[S]) deferRules(ctx context.Context, a *asking, questions []repository.Question) error {
	isDeferred, isJudged := false, false
	judge := func(ctx context.Context, answers []repository.Answer) ([]repository.Question, error) {
		j.facts.locked.learn(questions, answers)
		var err error
		questions, err = j.evaluate(ctx, a)
		switch {
		case err != nil:
			return nil, err
		case isDeferred && slices.ContainsFunc(questions, isAboutLines):
			return nil, errLinesLate
		case len(questions) > 0:
			return questions, nil
		}
		isJudged = true
		if !isDeferred {
			return nil, nil
		}
		j.refusals = nil
		j.addAll(a.rules)
		return nil, fault.Join(j.refusals...)
	}
	if err := j.facts.store.Defer(ctx, repository.Deferred{Questions: questions, Judge: judge}); err != nil {
		return err
	}
	if isJudged {
		j.addAll(a.rules)
		return nil
	}
	isDeferred = true
	var open []asked
	for _, r := range a.rules {
		if r.isOpen() {
			open = append(open, r)
		} else {
			j.addJudgement(r)
		}
	}
	a.rules = open
	// The caller goes on to use its own.
	j.change.Before, j.change.After = copied(j.change.Before), copied(j.change.After)
	a.input.Before, a.input.After = state(j.change.Before), state(j.change.After)
	return nil
}

// errLinesLate refuses a write whose deferred rules turn out to need the lines of before the
// change. It is judged again, at once.
var errLinesLate = fault.New(fault.Invalid, "a rule needs the lines of the invoice before the change")

// isOpen reports whether the rule needs facts.
func (r asked) isOpen() bool { return len(r.judgement.Missing) > 0 }

// addAll adds the judgements of the rules.
func (j *judging[S]) addAll(rules []asked) {
	for _, r := range rules {
		j.addJudgement(r)
	}
}

func (j *judging[S]) addJudgement(r asked) {
	v := Verdict{Rule: r.Name, ID: r.ID, Mode: r.Mode, Took: r.took}
	of := r.judgement
	message := of.Message
	if len(of.Missing) > 0 {
		of.Err = ErrTooManyRounds
	}
	switch {
	case of.Err != nil:
		v.Outcome = Failed
		message = fmt.Sprintf("cannot be checked, because the rule %s cannot be evaluated: %v", r.Name, of.Err)
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
