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

// deferring are facts that keep what is deferred.
type deferring struct {
	*answers
	deferred []repository.Deferred
	err      error // of Defer
}

func (d *deferring) Defer(_ context.Context, of repository.Deferred) error {
	d.deferred = append(d.deferred, of)
	return d.err
}

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
	return r.Set(stored)
}

func outcomes(verdicts []rule.Verdict) (all []string) {
	for _, v := range verdicts {
		all = append(all, v.Rule+" "+v.Outcome.String())
	}
	return all
}

func TestTypedRulesThatAskAreDeferred(t *testing.T) {
	question := repository.Question{Kind: repository.DealsOfUser, ID: 1}
	set := underRules(t, compiler{"asks": {asks: []repository.Question{question}}, "broken": {}, "free": {}})
	if set.Facts() != repository.FactsOf(repository.DealsOfUser) {
		t.Errorf("the facts are %b", set.Facts())
	}
	facts := &deferring{answers: &answers{}}
	after := deal.State{Name: "as it was judged"}
	var verdicts []rule.Verdict
	if err := rule.Deals.Check(t.Context(), set, facts, rule.Change[deal.State]{After: &after}, &verdicts); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"broken passed", "free passed"}, outcomes(verdicts)); diff != "" || facts.locked != 0 || len(facts.deferred) != 1 {
		t.Fatalf("%d round trips; -want +got\n%s", facts.locked, diff)
	}
	if diff := cmp.Diff([]repository.Question{question}, facts.deferred[0].Questions); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	further, err := facts.deferred[0].Judge(t.Context(), []repository.Answer{{Count: 1}})
	if f := fault.As(err); f == nil || f.Fields[0].Rule != "asks" || further != nil {
		t.Errorf("it ended with %v and further questions %v", err, further)
	}
	if diff := cmp.Diff([]string{"broken passed", "free passed", "asks refused"}, outcomes(verdicts)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestTypedRuleThatNeedsLinesLateIsRefused has a rule that needs the lines of before the change
// only when it knows a fact, and so too late. The write is then judged again, at once.
func TestTypedRuleThatNeedsLinesLateIsRefused(t *testing.T) {
	fact, lines := repository.Question{Kind: repository.DealsOfUser, ID: 1}, repository.Question{Kind: repository.LinesOfInvoice, ID: 1}
	set := underRules(t, compiler{"asks": {asks: []repository.Question{fact, lines}, inTurn: true}, "broken": {}, "free": {}})
	facts := &deferring{answers: &answers{}}
	var verdicts []rule.Verdict
	check := func(f repository.Facts) error {
		verdicts = nil
		return rule.Deals.Check(t.Context(), set, f, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
	}
	if err := check(facts); err != nil {
		t.Fatal(err)
	}
	if _, err := facts.deferred[0].Judge(t.Context(), []repository.Answer{{}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("it ended with %v", err)
	}
	err := check(repository.AtOnce(facts))
	if diff := cmp.Diff([]string{"broken passed", "free passed", "asks passed"}, outcomes(verdicts)); diff != "" || err != nil {
		t.Errorf("%v: -want +got\n%s", err, diff)
	}
}

func TestEnforcedTypedRuleReadsLinesAtOnce(t *testing.T) {
	var judged rule.Input
	set := underRules(t, compiler{"asks": {asks: []repository.Question{{Kind: repository.LinesOfInvoice, ID: 1}}, judged: &judged}})
	facts, after := &deferring{answers: &answers{count: 1}}, &deal.State{}
	var verdicts []rule.Verdict
	err := rule.Deals.Check(t.Context(), set, facts, rule.Change[deal.State]{After: after}, &verdicts)
	if !fault.Is(err, fault.Invalid) || facts.free != 1 || facts.locked != 0 || len(facts.deferred) != 0 {
		t.Errorf("%v after %d reads and %d locked ones; %d judgements are deferred", err, facts.free, facts.locked, len(facts.deferred))
	}
	if diff := cmp.Diff([]string{"asks refused"}, outcomes(verdicts)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if judged.Before != nil || judged.After != after {
		t.Errorf("it judges %v and %v", judged.Before, judged.After)
	}
}

func TestCheckReturnsTheErrorOfDeferredFacts(t *testing.T) {
	set := underRules(t, compiler{"asks": {asks: []repository.Question{{Kind: repository.DealsOfUser, ID: 1}}}})
	facts := &deferring{answers: &answers{}, err: fault.New(fault.Unavailable, "the database is gone")}
	var verdicts []rule.Verdict
	err := rule.Deals.Check(t.Context(), set, facts, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
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
		set := r.Set(repository.RuleSet{Version: 1, Rules: []ruledef.State{{
			Name: "broken", Resource: "deal", On: ruledef.Of(ruledef.Create), Expression: "none", Field: field, Mode: ruledef.Enforce, Source: ruledef.Typed,
		}}})
		var verdicts []rule.Verdict
		refusal := fault.As(rule.Deals.Check(t.Context(), set, &answers{}, rule.Change[deal.State]{After: &deal.State{}}, &verdicts))
		if diff := cmp.Diff([]fault.Field{{Name: field, Message: want, Rule: "broken"}}, refusal.Fields); diff != "" {
			t.Errorf("field %q: -want +got\n%s", field, diff)
		}
	}
}

func TestDeferredRuleAsksWhatWasReadWithoutALock(t *testing.T) {
	first, second := repository.Question{Kind: repository.DealsOfUser, ID: 1}, repository.Question{Kind: repository.DealsOfUser, ID: 2}
	set := underRules(t, compiler{
		"asks":  {asks: []repository.Question{first, second}, inTurn: true},
		"reads": {asks: []repository.Question{second, {Kind: repository.DealsOfClient, ID: 1}}},
	})
	if set.Facts() != repository.FactsOf(repository.DealsOfUser) {
		t.Errorf("the facts are %b", set.Facts())
	}
	facts := &deferring{answers: &answers{}}
	var verdicts []rule.Verdict
	if err := rule.Deals.Check(t.Context(), set, facts, rule.Change[deal.State]{After: &deal.State{}}, &verdicts); err != nil {
		t.Fatal(err)
	}
	further, err := facts.deferred[0].Judge(t.Context(), []repository.Answer{{}})
	if diff := cmp.Diff([]repository.Question{second}, further); diff != "" || err != nil {
		t.Errorf("%v: -want +got\n%s", err, diff)
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
