package command_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

var trialTime = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

type trialClock struct{}

func (trialClock) Now() time.Time         { return trialTime }
func (trialClock) Elapsed() time.Duration { return 0 }

// trialRecords are a snapshot with clients 1 to n, in pages of size.
type trialRecords struct {
	n, size  int64
	next     int64
	asked    []repository.Question
	answers  int // calls of Answer
	isClosed bool
}

func (r *trialRecords) Take(_ context.Context, resource string) (repository.Snapshot, error) {
	if resource != "client" {
		return nil, fmt.Errorf("%ss are read", resource)
	}
	return r, nil
}

func (r *trialRecords) Next(ctx context.Context) (page repository.Batch, err error) {
	for range min(r.size, r.n-r.next) {
		r.next++
		page.IDs = append(page.IDs, r.next)
		page.States = append(page.States, &client.State{ID: client.ID(r.next), UserID: user.ID(r.next)})
	}
	page.Done = float64(r.next) / float64(r.n)
	return page, ctx.Err()
}

func (r *trialRecords) Answer(_ context.Context, questions []repository.Question) ([]repository.Answer, error) {
	r.answers++
	r.asked = append(r.asked, questions...)
	return make([]repository.Answer, len(questions)), nil
}

func (r *trialRecords) Close(context.Context) { r.isClosed = true }

// goRule is a rule in Go.
type goRule func(in rule.Input) rule.Judgement

func (goRule) Facts() repository.FactKinds                             { return repository.AllFacts }
func (e goRule) Judge(_ context.Context, in rule.Input) rule.Judgement { return e(in) }
func (e goRule) Compile(ruledef.State) (rule.Expression, error)        { return e, nil }

// trialRules is a database with two rules: 1, which is typed, and one of another program.
type trialRules struct{ repository.Rules }

func (s trialRules) Do(ctx context.Context, _ repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	return fn(ctx, repository.Stores{Rules: s})
}

func (trialRules) Set() repository.RuleSet {
	return repository.RuleSet{Rules: []ruledef.State{
		{ID: 1, Name: "x", Resource: "client", On: ruledef.Of(ruledef.Update), Expression: "true", Message: "no", Mode: ruledef.Shadow, Source: ruledef.Typed},
		ruledef.Compiled("theirs", "client", ruledef.Enforce, trialTime).State(),
	}}
}

func triedID(in rule.Input) int64 {
	s, _ := in.After.(*client.State)
	return int64(s.ID)
}

func runTrial(t *testing.T, r *trialRecords, e goRule, on ...string) (ruledef.TrialResult, []float64, error) {
	t.Helper()
	return runTrialUntil(t.Context(), t, r, e, on...)
}

func runTrialUntil(ctx context.Context, t *testing.T, r *trialRecords, e goRule, on ...string) (ruledef.TrialResult, []float64, error) {
	t.Helper()
	registry, err := rule.NewRegistry(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	trials := command.NewTrials(trialRules{}, r, registry, trialClock{})
	candidate, err := trials.Unsaved(ruledef.Attributes{
		Name: domain.Some("x"), Resource: domain.Some("client"), On: domain.Some(on), Expression: domain.Some("true"), Message: domain.Some("no"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var done []float64
	found, err := trials.Run(ctx, candidate, user.Viewer, func(f ruledef.TrialResult) { done = append(done, f.Done) })
	if !r.isClosed {
		t.Error("the snapshot is open")
	}
	return found, done, err
}

// contract 12.70
func TestTrialCountsAPanicAsAFailure(t *testing.T) {
	found, _, err := runTrial(t, &trialRecords{n: 25, size: 10}, func(in rule.Input) rule.Judgement {
		if triedID(in) == 12 {
			panic("out of range")
		}
		return rule.Judgement{Passes: true}
	}, "update")
	want := []ruledef.Refusal{{RecordID: 12, Message: "internal error: out of range"}}
	if err != nil || found.Passed != 24 || found.Failed != 1 || !slices.Equal(found.Failures, want) {
		t.Errorf("it finds %+v, %v", found, err)
	}
}

// contract 12.70
func TestTrialCountsAllRecords(t *testing.T) {
	r := &trialRecords{n: 1005, size: 10}
	found, done, err := runTrial(t, r, func(in rule.Input) rule.Judgement {
		switch id := triedID(in); {
		case id%5 == 0:
			return rule.Judgement{Message: fmt.Sprint("no ", id)}
		case id%7 == 0:
			return rule.Judgement{Err: errors.New("cannot")}
		}
		return rule.Judgement{Passes: true}
	}, "update")
	if err != nil || found.Refused != 201 || found.Failed != 115 || found.Passed != 1005-201-115 {
		t.Errorf("it finds %d passing, %d refused, %d failing, %v", found.Passed, found.Refused, found.Failed, err)
	}
	for i, f := range found.Refusals {
		if want := int64(5 * (i + 1)); f.RecordID != want || f.Message != fmt.Sprint("no ", want) {
			t.Fatalf("refusal %d is %v", i, f)
		}
	}
	if len(found.Refusals) != ruledef.MaxRefusals || len(found.Failures) != ruledef.MaxRefusals || found.Failures[0] != (ruledef.Refusal{RecordID: 7, Message: "cannot"}) {
		t.Errorf("it lists %d refusals and %d failures", len(found.Refusals), len(found.Failures))
	}
	if len(done) != 101 || done[100] != 1 {
		t.Errorf("it reports %v", done)
	}
}

// contract 12.71
func TestTrialJudgesRecordsAsTheyAre(t *testing.T) {
	for on, want := range map[string]string{"create update delete": "update", "update": "update", "create": "create", "delete": "delete", "create delete": "create"} {
		found, _, err := runTrial(t, &trialRecords{n: 1, size: 1}, func(in rule.Input) rule.Judgement {
			if in.Operation() == ruledef.Update && in.Before != in.After || in.HidesID != (in.Operation() == ruledef.Create) || in.Actor != (access.Actor{Role: user.Viewer}) || !in.At.Equal(trialTime) {
				return rule.Judgement{Message: fmt.Sprintf("%+v", in)}
			}
			return rule.Judgement{Message: in.Operation().String()}
		}, strings.Fields(on)...)
		if err != nil || found.Refusals[0].Message != want {
			t.Errorf("on %s it judges %v, %v; want %s", on, found.Refusals, err, want)
		}
	}
}

// contract 12.70
func TestTrialAsksTheFactsOfAPageTogether(t *testing.T) {
	const pages, users = 5, 10
	r := &trialRecords{n: 20 * pages, size: 20}
	found, _, err := runTrial(t, r, func(in rule.Input) rule.Judgement {
		for _, q := range []repository.Question{
			{Kind: repository.DealsOfUser, ID: triedID(in) % users}, {Kind: repository.LinesOfInvoice, ID: triedID(in)},
		} {
			if _, ok := in.Fact(q); !ok {
				return rule.Judgement{Missing: []repository.Question{q}}
			}
		}
		return rule.Judgement{Passes: true}
	}, "update")
	if err != nil || found.Passed != r.n {
		t.Fatalf("%+v, %v", found, err)
	}
	if want := pages * (users + 20); r.answers != 2*pages || len(r.asked) != want { // the users, then the lines
		t.Errorf("%d pages ask %d questions in %d rounds, want %d in %d", pages, len(r.asked), r.answers, want, 2*pages)
	}
}

func TestTrialFailsARecordWhoseFactsDependOnEachOtherTooDeeply(t *testing.T) {
	for depth, want := range map[int64]int64{rule.MaxRounds: 0, rule.MaxRounds + 1: 1} {
		found, _, err := runTrial(t, &trialRecords{n: 1, size: 1}, func(in rule.Input) rule.Judgement {
			for id := range depth {
				q := repository.Question{Kind: repository.DealsOfUser, ID: id}
				if _, ok := in.Fact(q); !ok {
					return rule.Judgement{Missing: []repository.Question{q}}
				}
			}
			return rule.Judgement{Passes: true}
		}, "update")
		if err != nil || found.Failed != want || want > 0 && !strings.Contains(found.Failures[0].Message, "too deeply") {
			t.Errorf("%d rounds: %+v, %v", depth, found, err)
		}
	}
}

// contract 12.73
func TestTrialStopsWhenItIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := &trialRecords{n: 1_000_000, size: 1}
	_, _, err := runTrialUntil(ctx, t, r, func(in rule.Input) rule.Judgement {
		if triedID(in) == 100 {
			cancel()
		}
		return rule.Judgement{Passes: true}
	}, "update")
	if !errors.Is(err, context.Canceled) || r.next > 101 {
		t.Errorf("after record %d it ends with %v", r.next, err)
	}
}

func TestTrialIsOfARuleThatIsRight(t *testing.T) {
	e := goRule(nil)
	registry, err := rule.NewRegistry(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	trials := command.NewTrials(trialRules{}, &trialRecords{}, registry, trialClock{})
	changed := ruledef.Attributes{Message: domain.Some("never")}
	if c, err := trials.Numbered(t.Context(), 1, changed); err != nil || c.Rule.Message != "never" || c.Rule.Name != "x" {
		t.Errorf("the changed rule is %+v, %v", c.Rule, err)
	}
	_, compiled := trials.Named(t.Context(), "theirs", ruledef.Attributes{})
	_, missing := trials.Numbered(t.Context(), 2, changed)
	_, wrong := trials.Numbered(t.Context(), 1, ruledef.Attributes{Message: domain.Some("")})
	for err, want := range map[error]fault.Kind{compiled: fault.Conflict, missing: fault.NotFound, wrong: fault.Invalid} {
		if !fault.Is(err, want) {
			t.Errorf("it ends with %v, want a rejection: %s", err, want)
		}
	}
}

// odd is a compiled rule that refuses clients of a user with an odd id when they are created.
type odd string

func (o odd) Name() string { return string(o) }
func (odd) Check(ctx context.Context, c rule.Change[client.State]) error {
	deals, err := c.Facts.ClientDeals(ctx, c.After.ID)
	if err != nil || c.Operation() != ruledef.Create || len(deals) > 0 || c.After.UserID%2 == 0 {
		return err
	}
	return fault.ForField(fault.Invalid, "name", "is odd")
}

func TestTrialOfACompiledRule(t *testing.T) {
	e := goRule(nil)
	registry, err := rule.NewRegistry(e, nil, rule.Clients.Rules(odd("new")))
	if err != nil {
		t.Fatal(err)
	}
	created := ruledef.Attributes{On: domain.Some([]string{"create"})}
	for name, want := range map[string]struct {
		changed         ruledef.Attributes
		passed, refused int64
	}{
		"as an update":  {ruledef.Attributes{}, 10, 0},
		"as a creation": {created, 5, 5},
	} {
		r := &trialRecords{n: 10, size: 4}
		trials := command.NewTrials(trialRules{}, r, registry, trialClock{})
		c, err := trials.Named(t.Context(), "new", want.changed)
		if err != nil {
			t.Fatal(err)
		}
		found, err := trials.Run(t.Context(), c, user.Manager, func(ruledef.TrialResult) {})
		if err != nil || found.Passed != want.passed || found.Refused != want.refused {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}

// contract 12.77
func TestTrialIsForAdminsOnly(t *testing.T) {
	trials := command.NewTrials(trialRules{}, &trialRecords{}, nil, trialClock{})
	for _, role := range []user.Role{user.Manager, user.Viewer} {
		request := command.Request{Actor: access.Actor{UserID: 2, Role: role}}
		_, _, err := trials.Answer(t.Context(), request, user.Admin, func() (command.TriedRule, error) { panic("it is not looked up") })
		if !fault.Is(err, fault.Forbidden) {
			t.Errorf("a %s: %v", role, err)
		}
	}
}

// contract 12.77
func TestTrialThatOutlastsItsRequestNamesTheCommand(t *testing.T) {
	slow := goRule(func(rule.Input) rule.Judgement {
		time.Sleep(time.Millisecond)
		return rule.Judgement{Passes: true}
	})
	registry, err := rule.NewRegistry(slow, nil)
	if err != nil {
		t.Fatal(err)
	}
	trials := command.NewTrials(trialRules{}, &trialRecords{n: 1 << 60, size: 1}, registry, trialClock{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	request := command.Request{Actor: access.Actor{UserID: 1, Role: user.Admin}}
	_, _, err = trials.Answer(ctx, request, user.Manager, func() (command.TriedRule, error) { return trials.Numbered(t.Context(), 1, ruledef.Attributes{}) })
	if !fault.Is(err, fault.TooSlow) || !strings.Contains(err.Error(), "kontor rule try x") {
		t.Errorf("it ends with %v", err)
	}
}

func TestTrialNamesEveryWrongField(t *testing.T) {
	registry, err := rule.NewRegistry(brokenCompiler{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	trials := command.NewTrials(trialRules{}, &trialRecords{}, registry, trialClock{})
	wrong := command.Request{Actor: access.Actor{UserID: 1, Role: user.Admin}, Wrong: []fault.Field{{Name: "on", Message: "must be a list of texts"}}}
	_, _, err = trials.Answer(t.Context(), wrong, user.Manager, func() (command.TriedRule, error) {
		return trials.Unsaved(ruledef.Attributes{Name: domain.Some("No Name")})
	})
	var got []string
	for _, f := range fault.As(err).Fields {
		if !slices.Contains(got, f.Name) {
			got = append(got, f.Name)
		}
	}
	slices.Sort(got)
	if want := []string{"expression", "message", "name", "on", "resource"}; !slices.Equal(got, want) {
		t.Errorf("the wrong fields are %v", got)
	}
}

type brokenCompiler struct{}

func (brokenCompiler) Compile(ruledef.State) (rule.Expression, error) {
	return nil, fault.ForField(fault.Invalid, "expression", "is wrong")
}
