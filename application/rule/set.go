package rule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Set is the rules of a program together with one version of the stored rules.
type Set struct {
	registry  *Registry
	version   int64
	compiled  map[string]ruledef.State // the stored modes of compiled rules, by name
	typed     map[string][]typed       // by resource, in the order of their names
	asksFacts bool
}

// typed is a rule that an administrator has written.
type typed struct {
	ruledef.State
	expression Expression
	broken     error // the expression does not compile
}

func newSet(r *Registry, stored repository.RuleSet) *Set {
	s := &Set{
		registry: r, version: stored.Version, asksFacts: r.asksFacts,
		compiled: map[string]ruledef.State{}, typed: map[string][]typed{},
	}
	for _, def := range stored.Rules {
		switch {
		case def.Source == ruledef.Program:
			s.compiled[def.Name] = def
		case def.Mode != ruledef.Off:
			t := typed{State: def}
			t.expression, t.broken = r.compiler.Compile(def)
			s.typed[def.Resource] = append(s.typed[def.Resource], t)
			s.asksFacts = s.asksFacts || t.broken == nil && def.Mode == ruledef.Enforce && t.expression.AsksFacts()
		}
	}
	return s
}

// AsksFacts reports whether a rule or reaction may ask for facts that have to be true until the
// commit.
func (s *Set) AsksFacts() bool { return s.asksFacts }

// Outcome is what a rule says of a change. The zero value is invalid.
type Outcome uint8

// The outcomes.
const (
	Passed  Outcome = iota + 1
	Refused         // the change breaks the rule
	Failed          // the rule could not be evaluated, which counts as a refusal
)

// String is the outcome's name.
func (o Outcome) String() string {
	switch o {
	case Passed:
		return "passed"
	case Refused:
		return "refused"
	case Failed:
		return "failed"
	}
	return ""
}

// Verdict is what one rule has said of one change.
type Verdict struct {
	Rule     string
	ID       ruledef.ID // of the stored rule; zero if there is none
	Mode     ruledef.Mode
	Outcome  Outcome
	Resource string
	RecordID int64         // zero: a new record
	Fields   []fault.Field // of a refusal, with their messages
	// Took is how long the rule has run; zero unless rules are Timed. The facts of a typed
	// rule, which are asked together with those of others, are not in it.
	Took time.Duration
}

// Message is the reason of a refusal: a text of at most ruledef.MaxMessage characters.
func (v Verdict) Message() string {
	if len(v.Fields) == 0 {
		return ""
	}
	return text.Shortened(v.Fields[0].Message, ruledef.MaxMessage)
}

// Check asks all rules that are not off about a change. The error joins what the enforced ones
// refuse, each field with the name of its rule; an error that is none of package fault, or says
// that the database failed, aborts the change, and there are no verdicts. Verdicts are in the
// order of the rules: enforced before others, and compiled before typed.
func (k Kind[S]) Check(ctx context.Context, s *Set, facts repository.Facts, c Change[S]) ([]Verdict, error) {
	if len(k.of(s.registry).rules) == 0 && len(s.typed[k.Resource]) == 0 {
		return nil, nil
	}
	known := newCache(facts)
	c.Facts = known
	j := judging[S]{kind: k, set: s, facts: known, change: c}
	known.locks = true
	if err := j.judge(ctx, func(m ruledef.Mode) bool { return m == ruledef.Enforce }); err != nil {
		return nil, err
	}
	known.locks = false
	if err := j.judge(ctx, func(m ruledef.Mode) bool { return m == ruledef.Shadow || m == ruledef.Warn }); err != nil {
		return nil, err
	}
	return j.verdicts, fault.Join(j.refusals...)
}

// judging is one change before the rules.
type judging[S any] struct {
	kind     Kind[S]
	set      *Set
	facts    *cache
	change   Change[S]
	verdicts []Verdict
	refusals []error       // of enforced rules
	at       time.Duration // of the last lap
}

// lap is the time since the lap before. One rule costs one reading of the clock.
func (j *judging[S]) lap() time.Duration {
	before := j.at
	j.at = j.set.registry.elapsed()
	return j.at - before
}

// judge asks the rules in these modes.
func (j *judging[S]) judge(ctx context.Context, in func(ruledef.Mode) bool) error {
	j.lap()
	for _, r := range j.kind.of(j.set.registry).rules {
		mode, id := j.set.modeOf(r.Name(), r)
		if !in(mode) {
			continue
		}
		err := r.Check(ctx, j.change)
		if err != nil && !isRefusal(err) {
			return err
		}
		j.add(Verdict{Rule: r.Name(), ID: id, Mode: mode, Took: j.lap()}, err)
	}
	var asked []typed
	for _, t := range j.set.typed[j.kind.Resource] {
		if in(t.Mode) && t.On.Has(j.change.Operation()) {
			asked = append(asked, t)
		}
	}
	return j.judgeTyped(ctx, asked)
}

// modeOf is the mode of a compiled rule, and the id of its stored mode.
func (s *Set) modeOf(name string, r any) (ruledef.Mode, ruledef.ID) {
	a, adjustable := r.(Adjustable)
	stored, ok := s.compiled[name]
	switch {
	case !adjustable:
		return ruledef.Enforce, stored.ID
	case ok:
		return stored.Mode, stored.ID
	}
	return a.DefaultMode(), 0
}

// isRefusal reports whether the error of a compiled rule is a verdict.
func isRefusal(err error) bool {
	f := fault.As(err)
	return f != nil && (f.Kind == fault.Forbidden || f.Kind == fault.Invalid || f.Kind == fault.Conflict)
}

// MaxRounds is the limit of questions that depend on the answers to others.
const MaxRounds = 8

// ErrTooManyRounds is why a rule that needs more rounds has no judgement.
var ErrTooManyRounds = errors.New("its facts depend on each other too deeply")

// judgeTyped evaluates typed rules, with all facts that they need in as few round trips as
// possible.
func (j *judging[S]) judgeTyped(ctx context.Context, rules []typed) error {
	if len(rules) == 0 {
		return nil
	}
	judgements := make([]Judgement, len(rules))
	input := Input{Before: state(j.change.Before), After: state(j.change.After), Actor: j.change.Actor, At: j.change.At, Fact: j.facts.lookUp}
	took := make([]time.Duration, len(rules))
	for round := 0; ; round++ {
		var missing []repository.Question
		j.lap()
		for i, r := range rules {
			switch {
			case r.broken != nil:
				judgements[i].Err = r.broken
			case round == 0 || len(judgements[i].Missing) > 0:
				judgements[i] = r.expression.Judge(ctx, input)
				missing = appendNew(missing, judgements[i].Missing)
				took[i] += j.lap()
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(missing) == 0 || round == MaxRounds {
			break
		}
		if err := j.facts.ask(ctx, missing); err != nil {
			return err
		}
	}
	for i, r := range rules {
		j.addJudgement(r, judgements[i], took[i])
	}
	return nil
}

func (j *judging[S]) addJudgement(r typed, of Judgement, took time.Duration) {
	v := Verdict{Rule: r.Name, ID: r.ID, Mode: r.Mode, Took: took}
	message := of.Message
	if len(of.Missing) > 0 {
		of.Err = ErrTooManyRounds
	}
	switch {
	case of.Err != nil:
		v.Outcome = Failed
		message = fmt.Sprintf("the rule cannot be evaluated: %v", of.Err)
	case of.Passes:
		j.add(v, nil)
		return
	}
	j.add(v, &fault.Error{Kind: fault.Invalid, Message: message, Fields: []fault.Field{{Name: r.Field, Message: message}}})
}

// add records the verdict, which is a refusal unless err is nil.
func (j *judging[S]) add(v Verdict, err error) {
	v.Resource, v.RecordID = j.kind.Resource, j.kind.IDOf(j.change)
	if err == nil {
		v.Outcome = Passed
		j.verdicts = append(j.verdicts, v)
		return
	}
	if v.Outcome == 0 {
		v.Outcome = Refused
	}
	refusal := fault.As(err).ByRule(v.Rule)
	v.Fields = refusal.Fields
	j.verdicts = append(j.verdicts, v)
	if v.Mode == ruledef.Enforce {
		j.refusals = append(j.refusals, refusal)
	}
}

// state is a state for an expression: nil if there is none.
func state[S any](s *S) any {
	if s == nil {
		return nil
	}
	return s
}

func appendNew(all, more []repository.Question) []repository.Question {
next:
	for _, q := range more {
		for _, known := range all {
			if q == known {
				continue next
			}
		}
		all = append(all, q)
	}
	return all
}
