package rule_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// compiled is a rule in Go with the check.
type compiled struct {
	mode  ruledef.Mode
	check func(ctx context.Context, c rule.Change[deal.State]) error
}

func (compiled) Name() string { return "compiled" }

func (r compiled) DefaultMode() ruledef.Mode { return r.mode }

func (r compiled) Check(ctx context.Context, c rule.Change[deal.State]) error { return r.check(ctx, c) }

func judged(ctx context.Context, t *testing.T, r compiled, facts repository.Facts) ([]rule.Verdict, error) {
	t.Helper()
	registry, err := rule.NewRegistry(nil, nil, rule.Deals.Rules(r))
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []rule.Verdict
	err = rule.Deals.Check(ctx, setOf(t, registry, repository.RuleSet{}), facts, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
	return verdicts, err
}

// contract 12.112
func TestCompiledRuleThatFailsRefusesOnlyIfEnforced(t *testing.T) {
	for name, c := range map[string]struct {
		check  func(ctx context.Context, c rule.Change[deal.State]) error
		reason string
		cause  string
	}{
		"a panic":                {func(context.Context, rule.Change[deal.State]) error { panic("no such key") }, "it panics", "no such key"},
		"an unexpected error":    {func(context.Context, rule.Change[deal.State]) error { return errors.New("dial tcp") }, "it returns an unexpected error", "dial tcp"},
		"a record not found":     {func(context.Context, rule.Change[deal.State]) error { return fault.New(fault.NotFound, "no such deal") }, "it returns an unexpected error", "no such deal"},
		"a database of its own":  {func(context.Context, rule.Change[deal.State]) error { return fault.New(fault.Unavailable, "gone") }, "it returns an unexpected error", "gone"},
		"a wait for its context": {func(ctx context.Context, _ rule.Change[deal.State]) error { <-ctx.Done(); return ctx.Err() }, "it takes longer than 5s", "deadline exceeded"},
	} {
		for _, mode := range []ruledef.Mode{ruledef.Shadow, ruledef.Enforce} {
			synctest.Test(t, func(t *testing.T) {
				verdicts, err := judged(t.Context(), t, compiled{mode, c.check}, &answers{})
				message := "the rule compiled cannot be evaluated: " + c.reason
				if len(verdicts) != 1 || verdicts[0].Outcome != rule.Failed || verdicts[0].Message() != message || !strings.Contains(verdicts[0].Cause.Error(), c.cause) {
					t.Errorf("%s: the verdicts are %+v", name, verdicts)
				}
				f := fault.As(err)
				if mode == ruledef.Shadow && err != nil ||
					mode == ruledef.Enforce && (f == nil || f.Kind != fault.Invalid || f.Fields[0].Rule != "compiled" || f.Fields[0].Message != message) {
					t.Errorf("%s in %s: %v", name, mode, err)
				}
			})
		}
	}
}

func TestLateVerdictOfCompiledRuleCounts(t *testing.T) {
	for _, verdict := range []error{nil, wrong} {
		synctest.Test(t, func(t *testing.T) {
			verdicts, err := judged(t.Context(), t, compiled{ruledef.Enforce, func(ctx context.Context, _ rule.Change[deal.State]) error {
				<-ctx.Done()
				return verdict
			}}, &answers{})
			want := rule.Passed
			if verdict != nil {
				want = rule.Refused
			}
			if len(verdicts) != 1 || verdicts[0].Outcome != want || (err == nil) != (verdict == nil) {
				t.Errorf("%v: %+v, %v", verdict, verdicts, err)
			}
		})
	}
}

// An error of the facts ends the write, whatever the rule makes of it.
func TestCompiledRuleCannotHideAnErrorOfFacts(t *testing.T) {
	for _, mode := range []ruledef.Mode{ruledef.Enforce, ruledef.Shadow} {
		verdicts, err := judged(t.Context(), t, compiled{mode, func(ctx context.Context, c rule.Change[deal.State]) error {
			_, err := c.Facts.UserDeals(ctx, 1)
			if err == nil {
				t.Error("there is no error")
			}
			return nil
		}}, failing{})
		if !fault.Is(err, fault.Unavailable) || len(verdicts) != 0 {
			t.Errorf("in %s: %v, %v", mode, verdicts, err)
		}
	}
}

// waiting are facts whose statements end with their context.
type waiting struct{ repository.Facts }

func (waiting) AnswerLocked(ctx context.Context, _ []repository.Question) ([]repository.Answer, error) {
	if deadline, ok := ctx.Deadline(); ok {
		return nil, errors.New("the statement would be interrupted at " + deadline.String())
	}
	return []repository.Answer{{}}, nil
}

func TestStatementsOfFactsDoNotEndWithTheTimeOfARule(t *testing.T) {
	_, err := judged(t.Context(), t, compiled{ruledef.Enforce, func(ctx context.Context, c rule.Change[deal.State]) error {
		_, err := c.Facts.UserDeals(ctx, 1)
		return err
	}}, waiting{})
	if err != nil {
		t.Error(err)
	}
}

func TestCompiledRuleEndsWithTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	verdicts, err := judged(ctx, t, compiled{ruledef.Shadow, func(ctx context.Context, _ rule.Change[deal.State]) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}}, &answers{})
	if !errors.Is(err, context.Canceled) || len(verdicts) != 0 {
		t.Errorf("%v, %v", verdicts, err)
	}
}
