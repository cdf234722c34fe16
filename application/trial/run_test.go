package trial_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/application/trial"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

var at = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

type clock struct{}

func (clock) Now() time.Time         { return at }
func (clock) Elapsed() time.Duration { return 0 }

// records are a snapshot with clients 1 to n, in pages of size.
type records struct {
	n, size int64

	mu       sync.Mutex
	next     int64
	asked    []repository.Question
	rounds   int // of questions
	answers  int // calls of Answer, with and without questions
	ends     int // calls of Next after the last page
	isClosed bool
}

func (r *records) Take(_ context.Context, resource string, attributes []string) (repository.Snapshot, error) {
	if resource != "client" || !slices.Contains([]string{"name", repository.AllAttributes}, strings.Join(attributes, " ")) {
		return nil, fmt.Errorf("%v of %s are read", attributes, resource)
	}
	return r, nil
}

func (r *records) Next(ctx context.Context) (page repository.Records, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size < 0 {
		panic(fmt.Sprintf("a page of %d", r.size))
	}
	if r.next == r.n {
		if r.ends++; r.ends > 100 {
			panic("there are no more pages")
		}
	}
	for range min(r.size, r.n-r.next) {
		r.next++
		page.IDs = append(page.IDs, r.next)
		page.States = append(page.States, &client.State{ID: client.ID(r.next)})
	}
	page.Done = float64(r.next) / float64(r.n)
	return page, ctx.Err()
}

func (r *records) Answer(_ context.Context, questions []repository.Question) ([]repository.Answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers++
	if len(questions) > 0 {
		r.rounds++
	}
	r.asked = append(r.asked, questions...)
	return make([]repository.Answer, len(questions)), nil
}

func (r *records) Close(context.Context) { r.isClosed = true }

// expression is a rule in Go.
type expression func(in rule.Input) rule.Judgement

func (expression) Facts() repository.FactKinds                             { return repository.AllFacts }
func (expression) Attributes() []string                                    { return []string{"name"} }
func (e expression) Judge(_ context.Context, in rule.Input) rule.Judgement { return e(in) }
func (e expression) Compile(ruledef.State) (rule.Expression, error)        { return e, nil }
func (expression) Numbered(_ context.Context, id ruledef.ID) (ruledef.State, error) {
	if id != 1 {
		return ruledef.State{}, fault.New(fault.NotFound, "there is no such rule")
	}
	return ruledef.State{
		ID: 1, Name: "x", Resource: "client", On: ruledef.Of(ruledef.Update), Expression: "true", Message: "no", Mode: ruledef.Shadow, Source: ruledef.Typed,
	}, nil
}
func (expression) Named(_ context.Context, name string) (ruledef.State, error) {
	if name == "new" {
		return ruledef.State{}, fault.New(fault.NotFound, "there is no such rule")
	}
	return ruledef.Compiled(name, "client", ruledef.Enforce, at).State(), nil
}

func idOf(in rule.Input) int64 {
	s, _ := in.After.(*client.State)
	return int64(s.ID)
}

var someone = access.Actor{UserID: 7, Role: user.Admin}

func run(t *testing.T, r *records, e expression, on ...string) (ruledef.Findings, []float64, error) {
	t.Helper()
	return runUntil(t.Context(), t, r, e, on...)
}

func runUntil(ctx context.Context, t *testing.T, r *records, e expression, on ...string) (ruledef.Findings, []float64, error) {
	t.Helper()
	registry, err := rule.NewRegistry(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	runner := trial.NewRunner(e, r, registry, clock{})
	candidate, err := runner.Unsaved(ruledef.Attributes{
		Name: optional.Some("x"), Resource: optional.Some("client"), On: optional.Some(on), Expression: optional.Some("true"), Message: optional.Some("no"),
	})
	if err != nil {
		t.Fatal(err)
	}
	var done []float64
	found, err := runner.Run(ctx, candidate, someone, func(f ruledef.Findings) { done = append(done, f.Done) })
	if !r.isClosed {
		t.Error("the snapshot is open")
	}
	return found, done, err
}

// contract 12.70
func TestTrialCountsAPanicAsAFailure(t *testing.T) {
	found, _, err := run(t, &records{n: 25, size: 10}, func(in rule.Input) rule.Judgement {
		if idOf(in) == 12 {
			panic("out of range")
		}
		return rule.Judgement{Passes: true}
	}, "update")
	want := []ruledef.Finding{{RecordID: 12, Message: "internal error: out of range"}}
	if err != nil || found.Passed != 24 || found.Failed != 1 || !slices.Equal(found.Failures, want) {
		t.Errorf("it finds %+v, %v", found, err)
	}
}

func TestTrialFailsByAPanicOfTheReader(t *testing.T) {
	_, _, err := run(t, &records{n: 25, size: -1}, nil, "update")
	if err == nil || !strings.HasPrefix(err.Error(), "a panic: a page of -1") {
		t.Errorf("it ends with %v", err)
	}
}

// contract 12.70
func TestTrialCountsAllRecords(t *testing.T) {
	r := &records{n: 1005, size: 10}
	found, done, err := run(t, r, func(in rule.Input) rule.Judgement {
		switch id := idOf(in); {
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
	if len(found.Refusals) != ruledef.MaxFindings || len(found.Failures) != ruledef.MaxFindings || found.Failures[0] != (ruledef.Finding{RecordID: 7, Message: "cannot"}) {
		t.Errorf("it lists %d refusals and %d failures", len(found.Refusals), len(found.Failures))
	}
	if len(done) != 101 || done[100] != 1 {
		t.Errorf("it reports %v", done)
	}
}

// contract 12.71
func TestTrialJudgesRecordsAsTheyAre(t *testing.T) {
	for on, want := range map[string]string{"create update delete": "update", "update": "update", "create": "create", "delete": "delete", "create delete": "create"} {
		found, _, err := run(t, &records{n: 1, size: 1}, func(in rule.Input) rule.Judgement {
			if in.Operation() == ruledef.Update && in.Before != in.After || in.Actor != someone || !in.At.Equal(at) {
				return rule.Judgement{Message: fmt.Sprintf("%+v", in)}
			}
			return rule.Judgement{Message: in.Operation().String()}
		}, strings.Fields(on)...)
		if err != nil || found.Refusals[0].Message != want {
			t.Errorf("on %s it judges %v, %v; want %s", on, found.Refusals, err, want)
		}
	}
}

// contract 12.72
func TestTrialAsksTheFactsOfAPageTogetherAndNothingTwice(t *testing.T) {
	const pages, users = 50, 10
	r := &records{n: 20 * pages, size: 20}
	found, _, err := run(t, r, func(in rule.Input) rule.Judgement {
		q := repository.Question{Kind: repository.DealsOfUser, ID: idOf(in) % users}
		if _, ok := in.Fact(q); !ok {
			return rule.Judgement{Missing: []repository.Question{q}}
		}
		lines := repository.Question{Kind: repository.LinesOfInvoice, ID: idOf(in)}
		if _, ok := in.Fact(lines); !ok {
			return rule.Judgement{Missing: []repository.Question{lines}}
		}
		return rule.Judgement{Passes: true}
	}, "update")
	if err != nil || found.Passed != r.n {
		t.Fatalf("%+v, %v", found, err)
	}
	if want := 3 * pages; r.answers != want { // each page: none at first, the users, the lines
		t.Errorf("the snapshot is asked %d times, want %d", r.answers, want)
	}
	// The first pages, which are judged at the same time, ask about the same users.
	if most := r.n + 4*users; r.rounds > pages+4 || int64(len(r.asked)) > most {
		t.Errorf("%d pages have asked %d questions in %d rounds, want at most %d in %d", pages, len(r.asked), r.rounds, most, pages+4)
	}
}

func TestTrialAsksAgainWhatOneRecordNeeds(t *testing.T) {
	for kind, again := range map[repository.FactKind]bool{repository.LinesOfInvoice: true, repository.NumberTaken: true, repository.DealsOfUser: false} {
		r := &records{n: 20, size: 1}
		q := repository.Question{Kind: kind, ID: 1}
		_, _, err := run(t, r, func(in rule.Input) rule.Judgement {
			if _, ok := in.Fact(q); !ok {
				return rule.Judgement{Missing: []repository.Question{q}}
			}
			return rule.Judgement{Passes: true}
		}, "update")
		if asked := len(r.asked); err != nil || (asked == 20) != again {
			t.Errorf("20 records ask a question of the kind %d %d times, %v", kind, asked, err)
		}
	}
}

func TestTrialFailsARecordWhoseFactsDependOnEachOtherTooDeeply(t *testing.T) {
	for depth, want := range map[int64]int64{rule.MaxRounds: 0, rule.MaxRounds + 1: 1} {
		found, _, err := run(t, &records{n: 1, size: 1}, func(in rule.Input) rule.Judgement {
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
	r := &records{n: 1_000_000, size: 1}
	_, _, err := runUntil(ctx, t, r, func(in rule.Input) rule.Judgement {
		if idOf(in) == 100 {
			cancel()
		}
		return rule.Judgement{Passes: true}
	}, "update")
	if !errors.Is(err, context.Canceled) || r.next > 200 {
		t.Errorf("after record %d it ends with %v", r.next, err)
	}
}

func TestTrialIsOfARuleThatIsRight(t *testing.T) {
	e := expression(nil)
	registry, err := rule.NewRegistry(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := trial.NewRunner(e, &records{}, registry, clock{})
	changed := ruledef.Attributes{Message: optional.Some("never")}
	if c, err := r.Changed(t.Context(), 1, changed); err != nil || c.Rule.Message != "never" || c.Rule.Name != "x" {
		t.Errorf("the changed rule is %+v, %v", c.Rule, err)
	}
	_, compiled := r.Named(t.Context(), "x", ruledef.Attributes{}) // of another program
	_, missing := r.Changed(t.Context(), 2, changed)
	_, wrong := r.Changed(t.Context(), 1, ruledef.Attributes{Message: optional.Some("")})
	for err, want := range map[error]fault.Kind{compiled: fault.Conflict, missing: fault.NotFound, wrong: fault.Invalid} {
		if !fault.Is(err, want) {
			t.Errorf("it ends with %v, want a rejection: %s", err, want)
		}
	}
}

// odd is a compiled rule that refuses clients with an odd id when they are created.
type odd string

func (o odd) Name() string { return string(o) }
func (odd) Check(ctx context.Context, c rule.Change[client.State]) error {
	deals, err := c.Facts.ClientDeals(ctx, c.After.ID)
	if err != nil || c.Operation() != ruledef.Create || len(deals) > 0 || c.After.ID%2 == 0 {
		return err
	}
	return fault.ForField(fault.Invalid, "name", "is odd")
}

func TestTrialOfACompiledRule(t *testing.T) {
	e := expression(nil)
	registry, err := rule.NewRegistry(e, nil, rule.Clients.Rules(odd("new")))
	if err != nil {
		t.Fatal(err)
	}
	created := ruledef.Attributes{On: optional.Some([]string{"create"})}
	for name, want := range map[string]struct {
		changed         ruledef.Attributes
		passed, refused int64
	}{
		"as an update":  {ruledef.Attributes{}, 10, 0},
		"as a creation": {created, 5, 5},
	} {
		r := &records{n: 10, size: 4}
		runner := trial.NewRunner(e, r, registry, clock{})
		c, err := runner.Named(t.Context(), "new", want.changed)
		if err != nil {
			t.Fatal(err)
		}
		found, err := runner.Run(t.Context(), c, someone, func(ruledef.Findings) {})
		if err != nil || found.Passed != want.passed || found.Refused != want.refused {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}
