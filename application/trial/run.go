package trial

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Runner tries rules.
type Runner struct {
	rules     repository.StoredRules
	snapshots repository.Snapshots
	registry  *rule.Registry
	clock     ports.Clock
}

// NewRunner returns a runner.
func NewRunner(rules repository.StoredRules, s repository.Snapshots, r *rule.Registry, clock ports.Clock) *Runner {
	return &Runner{rules, s, r, clock}
}

// Candidate is a rule that can be tried.
type Candidate struct {
	Rule       ruledef.State
	expression rule.Expression
	rounds     int // the maximum number of round trips for the facts of a page
}

// maxCompiledRounds ends the trial of a compiled rule that asks without end.
const maxCompiledRounds = 1000

// Unsaved returns a candidate with the attributes, validated as for a creation.
func (r *Runner) Unsaved(a ruledef.Attributes) (Candidate, error) {
	_, err := ruledef.New(a, r.clock.Now())
	c, broken := r.candidate(ruledef.State{Source: ruledef.Typed}.With(a))
	return c, fault.Join(err, broken)
}

// Named returns the rule with the name, with the attributes applied. It is a stored one, or one that
// is compiled into the program and has no record yet.
func (r *Runner) Named(ctx context.Context, name string, a ruledef.Attributes) (Candidate, error) {
	stored, err := r.rules.Named(ctx, name)
	if err == nil {
		return r.changed(stored, a)
	}
	if fault.Is(err, fault.NotFound) {
		for _, c := range r.registry.Compiled() {
			if c.Name == name {
				return r.changed(ruledef.Compiled(c.Name, c.Resource, c.Mode, r.clock.Now()).State(), a)
			}
		}
	}
	return Candidate{}, err
}

// Changed returns the stored rule with the id, with the attributes applied.
func (r *Runner) Changed(ctx context.Context, id ruledef.ID, a ruledef.Attributes) (Candidate, error) {
	stored, err := r.rules.Numbered(ctx, id)
	if err != nil {
		return Candidate{}, err
	}
	return r.changed(stored, a)
}

func (r *Runner) changed(stored ruledef.State, a ruledef.Attributes) (Candidate, error) {
	tried, err := stored.Tried(a)
	c, broken := r.candidate(tried)
	return c, fault.Join(err, broken)
}

func (r *Runner) candidate(def ruledef.State) (Candidate, error) {
	if def.Source == ruledef.Program {
		if x := r.registry.Tried(def.Name); x != nil {
			return Candidate{def, x, maxCompiledRounds}, nil
		}
		return Candidate{}, fault.New(fault.Conflict, "this program does not contain the rule: it is compiled into another one")
	}
	expression, err := r.registry.Compiler().Compile(def)
	return Candidate{def, expression, rule.MaxRounds}, err
}

// Run tries the rule on all records. After every page of records it calls report with the
// findings so far; calls do not overlap.
func (r *Runner) Run(ctx context.Context, c Candidate, actor access.Actor, report func(ruledef.Findings)) (ruledef.Findings, error) {
	snapshot, err := r.snapshots.Take(ctx, c.Rule.Resource, c.expression.Attributes())
	if err != nil {
		return ruledef.Findings{}, err
	}
	defer snapshot.Close(ctx)
	t := &try{
		snapshot: snapshot, expression: c.expression, on: c.Rule.On, rounds: c.rounds, report: report,
		input: rule.Input{Actor: actor, At: r.clock.Now()}, answers: answers{known: map[repository.Question]repository.Answer{}},
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	for range concurrency() {
		workers.Go(func() {
			if err := guarded(func() error { return t.work(ctx) }); err != nil {
				cancel(err)
			}
		})
	}
	workers.Wait()
	return t.findings, context.Cause(ctx)
}

// guarded runs fn, whose panic becomes an error: a trial must not end the process.
func guarded(fn func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("a panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return fn()
}

// concurrency returns the number of goroutines that read a page and judge it. One of them
// reads while others judge; as reading takes about as long, many have nothing to do.
func concurrency() int { return min(max(runtime.GOMAXPROCS(0), 2), 4) }

type try struct {
	snapshot   repository.Snapshot
	expression rule.Expression
	on         ruledef.Operations
	rounds     int
	input      rule.Input // without a record
	answers    answers

	mu       sync.Mutex
	findings ruledef.Findings
	report   func(ruledef.Findings)
}

func (t *try) work(ctx context.Context) error {
	for {
		page, err := t.snapshot.Next(ctx)
		if err != nil || len(page.IDs) == 0 {
			return err
		}
		found, err := t.judge(ctx, page)
		if err != nil {
			return err
		}
		found.Done = page.Done
		t.add(found)
	}
}

func (t *try) add(found ruledef.Findings) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.findings.Add(found)
	t.report(t.findings)
}

// judge asks the rule about the records of a page. Those that need facts are judged again as
// soon as all facts that the page needs are known.
func (t *try) judge(ctx context.Context, page repository.Records) (found ruledef.Findings, err error) {
	known := map[repository.Question]repository.Answer{}
	fact := func(q repository.Question) (a repository.Answer, ok bool) {
		a, ok = known[q]
		return a, ok
	}
	verdicts := make([]rule.Judgement, len(page.IDs))
	missing := map[repository.Question]bool{}
	open := make([]int, len(page.IDs)) // the records without a judgement
	for i := range open {
		open[i] = i
	}
	for round := 0; len(open) > 0 && round <= t.rounds; round++ {
		if err := t.answers.add(ctx, t.snapshot, missing, known); err != nil {
			return found, err
		}
		clear(missing)
		for _, i := range open {
			verdicts[i] = t.judgeOne(ctx, t.about(page.States[i], fact))
			for _, q := range verdicts[i].Missing {
				missing[q] = true
			}
		}
		if err := ctx.Err(); err != nil {
			return found, err
		}
		open = slices.DeleteFunc(open, func(i int) bool { return len(verdicts[i].Missing) == 0 })
	}
	for i, v := range verdicts {
		count(&found, page.IDs[i], v)
	}
	return found, nil
}

func (t *try) judgeOne(ctx context.Context, in rule.Input) (j rule.Judgement) {
	defer func() {
		if cause := recover(); cause != nil {
			j = rule.Judgement{Err: fmt.Errorf("internal error: %v", cause)}
		}
	}()
	return t.expression.Judge(ctx, in)
}

// about returns the input for a record that is saved as it is.
func (t *try) about(state any, fact func(repository.Question) (repository.Answer, bool)) rule.Input {
	in := t.input
	in.Fact = fact
	if t.on.Has(ruledef.Update) || !t.on.Has(ruledef.Create) {
		in.Before = state
	}
	if t.on.Has(ruledef.Update) || t.on.Has(ruledef.Create) {
		in.After = state
	}
	return in
}

func count(found *ruledef.Findings, id int64, v rule.Judgement) {
	if len(v.Missing) > 0 {
		v.Err = rule.ErrTooManyRounds
	}
	switch {
	case v.Err != nil:
		found.Fail(id, v.Err.Error())
	case v.Passes:
		found.Passed++
	default:
		found.Refuse(id, v.Message)
	}
}

// answers are those of the snapshot that other pages may need too: many records belong to one
// client or user.
type answers struct {
	mu    sync.Mutex
	known map[repository.Question]repository.Answer
}

// maxAnswers limits the answers that are kept.
const maxAnswers = 20_000

// add adds the answers to the questions to those of a page.
func (a *answers) add(
	ctx context.Context, snapshot repository.Snapshot, questions map[repository.Question]bool,
	page map[repository.Question]repository.Answer,
) error {
	missing := a.lookUp(questions, page)
	fresh, err := snapshot.Answer(ctx, missing)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, q := range missing {
		page[q] = fresh[i]
		if q.Kind == repository.LinesOfInvoice || q.Kind == repository.NumberTaken {
			continue // no other record asks this
		}
		if len(a.known) == maxAnswers {
			clear(a.known)
		}
		a.known[q] = fresh[i]
	}
	return nil
}

// lookUp adds the answers that are known, and returns the questions without one.
func (a *answers) lookUp(
	questions map[repository.Question]bool, page map[repository.Question]repository.Answer,
) (missing []repository.Question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for q := range questions {
		if answer, ok := a.known[q]; ok {
			page[q] = answer
		} else {
			missing = append(missing, q)
		}
	}
	return missing
}
