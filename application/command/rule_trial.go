package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Trials tries rules on existing records: a trial judges every record of the rule's resource
// as if the record were saved unchanged.
//
// A rule for updates judges an update that changes nothing: before and after are the record. A
// rule for creations but not updates judges the creation of the record, which does not have its id
// yet, and one for deletions only judges its deletion. The actor has a role and no id; time and
// facts are those of the snapshot.
//
// Chose: one snapshot. Because: the counts are then exact and the facts consistent with the
// records. Costs: a long trial keeps the database from removing old versions of rows.
type Trials struct {
	tx        repository.Tx
	snapshots repository.Snapshots
	registry  *rule.Registry
	clock     ports.Clock
}

// NewTrials returns the trials of the rules in the registry and the database.
func NewTrials(tx repository.Tx, s repository.Snapshots, r *rule.Registry, clock ports.Clock) *Trials {
	return &Trials{tx, s, r, clock}
}

// TriedRule is a rule that can be tried.
type TriedRule struct {
	Rule       ruledef.State // without an id if it is not stored
	expression rule.Expression
	rounds     int // the maximum number of round trips for the facts of a page
}

// maxCompiledRounds ends the trial of a compiled rule that asks without end.
const maxCompiledRounds = 1000

// Unsaved returns a candidate with the attributes, validated as for a creation.
func (t *Trials) Unsaved(a ruledef.Attributes) (TriedRule, error) {
	_, err := ruledef.New(a, t.clock.Now())
	c, broken := t.candidate(ruledef.State{Source: ruledef.Typed}.With(a))
	return c, fault.Join(err, broken)
}

// Named returns the rule with the name, with the attributes applied. It is a stored one, or one that
// is compiled into the program and has no record yet.
func (t *Trials) Named(ctx context.Context, name string, a ruledef.Attributes) (TriedRule, error) {
	c, err := t.stored(ctx, a, func(s ruledef.State) bool { return s.Name == name })
	if fault.Is(err, fault.NotFound) {
		for _, c := range t.registry.Compiled() {
			if c.Name == name {
				return t.changed(ruledef.Compiled(c.Name, c.Resource, c.Mode, t.clock.Now()).State(), a)
			}
		}
	}
	return c, err
}

// Numbered returns the stored rule with the id, with the attributes applied.
func (t *Trials) Numbered(ctx context.Context, id ruledef.ID, a ruledef.Attributes) (TriedRule, error) {
	return t.stored(ctx, a, func(s ruledef.State) bool { return s.ID == id })
}

func (t *Trials) stored(ctx context.Context, a ruledef.Attributes, is func(ruledef.State) bool) (TriedRule, error) {
	var rules []ruledef.State
	err := t.tx.Do(ctx, repository.Meta{At: t.clock.Now()}, func(_ context.Context, s repository.Stores) error {
		rules = s.Rules.Set().Rules
		return nil
	})
	if err != nil {
		return TriedRule{}, err
	}
	if i := slices.IndexFunc(rules, is); i >= 0 {
		return t.changed(rules[i], a)
	}
	return TriedRule{}, fault.New(fault.NotFound, "there is no such rule")
}

func (t *Trials) changed(stored ruledef.State, a ruledef.Attributes) (TriedRule, error) {
	tried, err := stored.Tried(a)
	c, broken := t.candidate(tried)
	return c, fault.Join(err, broken)
}

func (t *Trials) candidate(def ruledef.State) (TriedRule, error) {
	if def.Source == ruledef.Program {
		if x := t.registry.Tried(def.Name); x != nil {
			return TriedRule{def, x, maxCompiledRounds}, nil
		}
		return TriedRule{}, fault.New(fault.Conflict, "this program does not contain the rule: it is compiled into another one").
			Coded(fault.Compiled)
	}
	expression, err := t.registry.Compiler().Compile(def)
	return TriedRule{def, expression, rule.MaxRounds}, err
}

// Answer runs the trial of a request: candidate returns the rule. Only an admin may start one, with a token that may read what
// the rule reads.
// A trial that does not end within the time of the request is a fault.TooSlow that names the
// command to use instead.
func (t *Trials) Answer(
	ctx context.Context, request Request, as user.Role, candidate func() (TriedRule, error),
) (TriedRule, ruledef.TrialResult, error) {
	if err := request.Actor.MayWrite(access.Rules); err != nil {
		return TriedRule{}, ruledef.TrialResult{}, err
	}
	c, err := candidate()
	if err := fault.Join(request.CheckWrong(), err); err != nil {
		return c, ruledef.TrialResult{}, err
	}
	if err := c.checkScopes(request.Actor); err != nil {
		return c, ruledef.TrialResult{}, err
	}
	found, err := t.Run(ctx, c, as, func(ruledef.TrialResult) {})
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || fault.Is(err, fault.TooSlow) {
		instead := "--file rule.json"
		if c.Rule.ID != 0 {
			instead = c.Rule.Name
		}
		err = fault.New(fault.TooSlow, "the trial takes longer than a request may: use the command kontor rule try %s", instead)
	}
	return c, found, err
}

// checkScopes returns a fault.Forbidden if the scopes of the actor's token do not allow to read what the rule reads,
// which its messages may show.
func (c TriedRule) checkScopes(actor access.Actor) error {
	for _, resource := range append([]string{c.Rule.Resource}, c.expression.Facts().Resources()...) {
		if err := actor.Scopes.CheckRead(resource); err != nil {
			return err
		}
	}
	return nil
}

// Run tries the rule on all records, as an actor with the role. After every page of records it
// calls report with the findings so far.
func (t *Trials) Run(
	ctx context.Context, c TriedRule, as user.Role, report func(ruledef.TrialResult),
) (found ruledef.TrialResult, err error) {
	snapshot, err := t.snapshots.Take(ctx, c.Rule.Resource)
	if err != nil {
		return found, err
	}
	defer snapshot.Close(ctx)
	in := rule.Input{Actor: access.Actor{Role: as}, At: t.clock.Now()}
	for {
		page, err := snapshot.Next(ctx)
		if err != nil || len(page.IDs) == 0 {
			return found, err
		}
		if err := c.judge(ctx, snapshot, page, in, &found); err != nil {
			return found, err
		}
		found.Done = page.Done
		report(found)
	}
}

// judge asks the rule about the records of a page. Those that need facts are judged again as
// soon as all facts that the page needs are known.
func (c TriedRule) judge(
	ctx context.Context, snapshot repository.Snapshot, page repository.Batch, in rule.Input, found *ruledef.TrialResult,
) error {
	known := map[repository.Question]repository.Answer{}
	in.Fact = func(q repository.Question) (a repository.Answer, ok bool) {
		a, ok = known[q]
		return a, ok
	}
	verdicts := make([]rule.Judgement, len(page.IDs))
	open := make([]int, len(page.IDs)) // the records without a judgement
	for i := range open {
		open[i] = i
	}
	for round := 0; len(open) > 0 && round <= c.rounds; round++ {
		missing := map[repository.Question]bool{}
		for _, i := range open {
			verdicts[i] = c.judgeOne(ctx, page.States[i], in)
			for _, q := range verdicts[i].Missing {
				missing[q] = true
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := askSnapshot(ctx, snapshot, missing, known); err != nil {
			return err
		}
		open = slices.DeleteFunc(open, func(i int) bool { return len(verdicts[i].Missing) == 0 })
	}
	for i, v := range verdicts {
		countVerdict(found, page.IDs[i], v)
	}
	return nil
}

// judgeOne judges a record as if it were saved as it is. A panic of the rule is a failure.
func (c TriedRule) judgeOne(ctx context.Context, state any, in rule.Input) (j rule.Judgement) {
	defer func() {
		if cause := recover(); cause != nil {
			j = rule.Judgement{Err: fmt.Errorf("internal error: %v", cause)}
		}
	}()
	on := c.Rule.On
	if on.Has(ruledef.Update) || !on.Has(ruledef.Create) {
		in.Before = state
	} else {
		in.HidesID = true
	}
	if on.Has(ruledef.Update) || on.Has(ruledef.Create) {
		in.After = state
	}
	return c.expression.Judge(ctx, in)
}

// askSnapshot adds the answers of the snapshot to the known ones.
func askSnapshot(
	ctx context.Context, snapshot repository.Snapshot, missing map[repository.Question]bool, known map[repository.Question]repository.Answer,
) error {
	if len(missing) == 0 {
		return nil
	}
	questions := slices.Collect(maps.Keys(missing))
	answers, err := snapshot.Answer(ctx, questions)
	if err != nil {
		return err
	}
	for i, q := range questions {
		known[q] = answers[i]
	}
	return nil
}

func countVerdict(found *ruledef.TrialResult, id int64, v rule.Judgement) {
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
