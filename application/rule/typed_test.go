package rule_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// underRules are the rules of the expressions for new deals, all enforced but for "reads".
func underRules(t *testing.T, expressions compiler) *rule.Set {
	t.Helper()
	r, err := rule.NewRegistry(expressions, nil)
	if err != nil {
		t.Fatal(err)
	}
	stored := repository.RuleSet{Version: 1}
	for _, name := range slices.Sorted(maps.Keys(expressions)) {
		mode := ruledef.Enforce
		if name == "reads" {
			mode = ruledef.Shadow
		}
		stored.Rules = append(stored.Rules, ruledef.State{
			Name: name, Resource: "deal", On: ruledef.Of(ruledef.Create), Expression: name, Field: "name", Mode: mode, Source: ruledef.Typed,
		})
	}
	return setOf(t, r, stored)
}

func outcomes(verdicts []rule.Verdict) (all []string) {
	for _, v := range verdicts {
		all = append(all, v.Rule+" "+v.Outcome.String())
	}
	return all
}

// contract 12.97
func TestTypedRulesThatAskAreJudgedWithTheOthers(t *testing.T) {
	var judged rule.Input
	fact, lines := repository.Question{Kind: repository.DealsOfUser, ID: 1}, repository.Question{Kind: repository.LinesOfInvoice, ID: 1}
	set := underRules(t, compiler{"asks": {asks: []repository.Question{fact, lines}, inTurn: true, judged: &judged}, "broken": {}, "free": {}})
	if set.Facts() != repository.FactsOf(repository.DealsOfUser, repository.LinesOfInvoice) {
		t.Errorf("the facts are %b", set.Facts())
	}
	facts, after := &answers{count: 1}, &deal.State{}
	var verdicts []rule.Verdict
	err := rule.Deals.Check(t.Context(), set, facts, rule.Change[deal.State]{After: after}, &verdicts)
	if f := fault.As(err); f == nil || f.Fields[0].Rule != "asks" || facts.locked != 1 || facts.free != 0 {
		t.Errorf("%v after %d reads and %d locked ones", err, facts.free, facts.locked)
	}
	if diff := cmp.Diff([]string{"broken passed", "free passed", "asks refused"}, outcomes(verdicts)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if judged.Before != nil || judged.After != after {
		t.Errorf("it judges %v and %v", judged.Before, judged.After)
	}
	verdicts = nil
	facts = &answers{}
	err = rule.Deals.Check(t.Context(), set, facts, rule.Change[deal.State]{After: after}, &verdicts)
	if diff := cmp.Diff([]string{"broken passed", "free passed", "asks passed"}, outcomes(verdicts)); diff != "" || err != nil || facts.locked != 2 {
		t.Errorf("%v after %d locked reads: -want +got\n%s", err, facts.locked, diff)
	}
}

// failing are facts that cannot be read.
type failing struct{ repository.Facts }

func (f failing) Answer(ctx context.Context, questions []repository.Question) ([]repository.Answer, error) {
	return f.AnswerLocked(ctx, questions)
}

func (failing) AnswerLocked(context.Context, []repository.Question) ([]repository.Answer, error) {
	return nil, fault.New(fault.Unavailable, "the database is gone")
}

func TestCheckReturnsTheErrorOfFacts(t *testing.T) {
	set := underRules(t, compiler{"asks": {asks: []repository.Question{{Kind: repository.DealsOfUser, ID: 1}}}})
	var verdicts []rule.Verdict
	err := rule.Deals.Check(t.Context(), set, failing{}, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("it ended with %v", err)
	}
}

// TestBrokenTypedRuleNamesItsField has rules whose expressions can't be compiled.
func TestBrokenTypedRuleNamesItsField(t *testing.T) {
	const reason = "the rule broken cannot be evaluated: invalid: expression is none"
	for field, want := range map[string]string{"": reason, "name": "cannot be checked: " + reason} {
		r, err := rule.NewRegistry(compiler{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		set := setOf(t, r, repository.RuleSet{Version: 1, Rules: []ruledef.State{{
			Name: "broken", Resource: "deal", On: ruledef.Of(ruledef.Create), Expression: "none", Field: field, Mode: ruledef.Enforce, Source: ruledef.Typed,
		}}})
		var verdicts []rule.Verdict
		refusal := fault.As(rule.Deals.Check(t.Context(), set, &answers{}, rule.Change[deal.State]{After: &deal.State{}}, &verdicts))
		if diff := cmp.Diff([]fault.Field{{Name: field, Message: want, Rule: "broken"}}, refusal.Fields); diff != "" {
			t.Errorf("field %q: -want +got\n%s", field, diff)
		}
	}
}

func TestRuleThatIsNotEnforcedUsesLockedAnswers(t *testing.T) {
	first, second := repository.Question{Kind: repository.DealsOfUser, ID: 1}, repository.Question{Kind: repository.DealsOfUser, ID: 2}
	set := underRules(t, compiler{"asks": {asks: []repository.Question{first}}, "reads": {asks: []repository.Question{first, second}, inTurn: true}})
	facts := &answers{}
	var verdicts []rule.Verdict
	err := rule.Deals.Check(t.Context(), set, facts, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
	if err != nil || facts.locked != 1 || facts.free != 1 {
		t.Errorf("%v after %d reads and %d locked ones", err, facts.free, facts.locked)
	}
}

func TestTypedRuleFailsAfterTooManyRounds(t *testing.T) {
	for rounds, want := range map[int]string{rule.MaxRounds: "reads passed", rule.MaxRounds + 1: "reads failed"} {
		e := expression{inTurn: true}
		for id := range rounds {
			e.asks = append(e.asks, repository.Question{Kind: repository.DealsOfUser, ID: int64(id)})
		}
		var verdicts []rule.Verdict
		err := rule.Deals.Check(t.Context(), underRules(t, compiler{"reads": e}), &answers{}, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
		if diff := cmp.Diff([]string{want}, outcomes(verdicts)); diff != "" || err != nil {
			t.Errorf("%d rounds, %v: -want +got\n%s", rounds, err, diff)
		}
	}
}
