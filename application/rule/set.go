package rule

import (
	"context"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/text"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Set holds the rules of a program together with one version of the stored rules.
type Set struct {
	registry *Registry
	version  int64
	compiled map[string]ruledef.State // the stored modes of compiled rules, by name
	typed    map[string]typedRules    // by resource
	facts    repository.FactKinds     // that a rule or reaction may ask for and that have to be true until the commit
}

type typed struct {
	ruledef.State
	expression Expression
	broken     error // the expression does not compile
}

// typedRules are the rules of one resource, in the order of their names.
type typedRules struct {
	enforced, others []*typed
}

// add adds a rule that is not off.
func (r typedRules) add(t *typed) typedRules {
	if t.Mode == ruledef.Enforce {
		r.enforced = append(r.enforced, t)
	} else {
		r.others = append(r.others, t)
	}
	return r
}

func (r typedRules) number() int { return len(r.enforced) + len(r.others) }

// newSet compiles the rules that differ from those of the last set, if there is one.
func newSet(r *Registry, stored repository.RuleSet, last *Set) *Set {
	s := &Set{
		registry: r, version: stored.Version, facts: r.facts,
		compiled: map[string]ruledef.State{}, typed: map[string]typedRules{},
	}
	known := last.typedByID()
	for _, def := range stored.Rules {
		switch {
		case def.Source == ruledef.Program:
			s.compiled[def.Name] = def
		case def.Mode != ruledef.Off:
			t := &typed{State: def}
			if same := known[def.ID]; same != nil && same.compilesAs(def) {
				t.expression, t.broken = same.expression, same.broken
			} else {
				t.expression, t.broken = r.compiler.Compile(def)
			}
			s.typed[def.Resource] = s.typed[def.Resource].add(t)
			if t.broken == nil && def.Mode == ruledef.Enforce {
				s.facts |= t.expression.Facts()
			}
		}
	}
	return s
}

func (s *Set) typedByID() map[ruledef.ID]*typed {
	rules := map[ruledef.ID]*typed{}
	if s == nil {
		return rules
	}
	for _, list := range s.typed {
		for _, t := range slices.Concat(list.enforced, list.others) {
			rules[t.ID] = t
		}
	}
	return rules
}

// compilesAs reports whether the rule has the same expressions.
func (t *typed) compilesAs(def ruledef.State) bool {
	return t.Resource == def.Resource && t.Name == def.Name && ruledef.SameText(t.State, def)
}

// Facts returns the kinds of facts that enforced rules and reactions may ask for, and that must
// stay true until the commit.
func (s *Set) Facts() repository.FactKinds { return s.facts }

// Outcome is the result of judging a change by a rule. The zero value is invalid.
type Outcome uint8

// The outcomes.
const (
	Passed  Outcome = iota + 1
	Refused         // the change breaks the rule
	Failed          // the rule could not be evaluated, which counts as a refusal
)

// String returns the outcome's name.
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

// Verdict is the result of judging one change by one rule.
type Verdict struct {
	Rule     string
	ID       ruledef.ID // of the stored rule; zero if there is none
	Mode     ruledef.Mode
	Outcome  Outcome
	Resource string
	RecordID int64         // zero: a new record
	Fields   []fault.Field // of a refusal, with their messages
	Cause    error         // why a compiled rule has failed, for the log
	// Took is how long the rule ran; zero unless rules are Timed. It excludes the time to read
	// the facts of typed rules, which are read together.
	Took time.Duration
}

// Message returns the reason for a refusal, of at most ruledef.MaxMessage characters.
func (v Verdict) Message() string {
	if len(v.Fields) == 0 {
		return ""
	}
	return text.Truncate(v.Fields[0].Message, ruledef.MaxMessage)
}

// Check judges a change by all rules that are not off, and appends their verdicts. The error
// joins the refusals of enforced rules, each field with the name of its rule. An error of the facts,
// or of the context, aborts the change without verdicts. A compiled rule that panics or returns
// another error than a refusal has failed, as a typed one that cannot be evaluated. Verdicts are in
// the order of the rules: enforced before others, compiled before typed, and those that need no facts
// before those that do. The verdicts given are those of earlier changes of the same write, with which
// the typed rules share a limit of time.
func (k Kind[S]) Check(ctx context.Context, s *Set, facts repository.Facts, c Change[S], verdicts *[]Verdict) error {
	rules := len(k.aggregate(s.registry).rules) + s.typed[k.Resource].number()
	if rules == 0 {
		return nil
	}
	before := len(*verdicts)
	*verdicts = slices.Grow(*verdicts, rules)
	j := &judging[S]{kind: k, set: s, facts: newCache(facts, k.recordOf(c)).during(ctx), change: c, verdicts: verdicts}
	j.change.Facts = j.facts
	for _, v := range *verdicts { // of earlier changes of the write
		if !s.registry.Has(v.Rule) {
			j.spent += v.Took
		}
	}
	if err := j.judge(ctx); err != nil {
		*verdicts = (*verdicts)[:before]
		return err
	}
	return fault.Join(j.refusals...)
}

// judging is the evaluation of one change by the rules.
type judging[S any] struct {
	kind     Kind[S]
	set      *Set
	facts    *cache
	change   Change[S]
	verdicts *[]Verdict
	refusals []error       // of enforced rules
	at       time.Duration // of the last lap
	spent    time.Duration // by the typed rules of the write
}

// lap returns the time since the lap before. One rule costs one reading of the clock.
func (j *judging[S]) lap() time.Duration {
	before := j.at
	j.at = j.set.registry.elapsed()
	return j.at - before
}

// judge asks the rules, enforced ones first.
func (j *judging[S]) judge(ctx context.Context) error {
	typed := j.set.typed[j.kind.Resource]
	j.facts.locks = true
	if err := j.judgeCompiled(ctx, func(m ruledef.Mode) bool { return m == ruledef.Enforce }); err != nil {
		return err
	}
	if err := j.judgeTyped(ctx, typed.enforced); err != nil {
		return err
	}
	j.facts.locks = false
	if err := j.judgeCompiled(ctx, func(m ruledef.Mode) bool { return m == ruledef.Shadow || m == ruledef.Warn }); err != nil {
		return err
	}
	return j.judgeTyped(ctx, typed.others)
}

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

// add records the verdict, which is a refusal unless err is nil.
func (j *judging[S]) add(v Verdict, err error) {
	v.Resource, v.RecordID = j.kind.Resource, j.kind.IDOf(j.change)
	if err == nil {
		v.Outcome = Passed
		*j.verdicts = append(*j.verdicts, v)
		return
	}
	if v.Outcome == 0 {
		v.Outcome = Refused
	}
	refusal := fault.As(err).ByRule(v.Rule)
	if j.change.Cause > Requested {
		refusal = refusal.About(v.Resource, v.RecordID)
	}
	v.Fields = refusal.Fields
	*j.verdicts = append(*j.verdicts, v)
	if v.Mode == ruledef.Enforce {
		j.refusals = append(j.refusals, refusal)
	}
}
