package rule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// contract 12.44, 12.47
func TestReportHasOneVerdictOfEachRule(t *testing.T) {
	r := &rule.Report{Verdicts: []rule.Verdict{
		{Rule: "a", Outcome: rule.Passed}, {Rule: "b", Outcome: rule.Failed, RecordID: 1}, {Rule: "c", Outcome: rule.Passed},
		{Rule: "a", Outcome: rule.Refused, RecordID: 2}, {Rule: "b", Outcome: rule.Refused, RecordID: 3}, {Rule: "c", Outcome: rule.Passed},
		{Rule: "a", Outcome: rule.Failed, RecordID: 4},
	}}
	b, a := r.Verdicts[1], r.Verdicts[3]
	if diff := cmp.Diff([]rule.Verdict{b, a}, r.Refusals()); diff != "" {
		t.Errorf("the refusals: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]rule.Verdict{a, b, r.Verdicts[2]}, r.ByRule()); diff != "" {
		t.Errorf("by rule: -want +got\n%s", diff)
	}
}

func TestVerdictMessageCanBeStored(t *testing.T) {
	v := rule.Verdict{Fields: []fault.Field{{Message: "a\x00" + strings.Repeat("ä", ruledef.MaxMessage)}, {Message: "second"}}}
	if got, want := v.Message(), "a\uFFFD"+strings.Repeat("ä", ruledef.MaxMessage-3)+"…"; got != want {
		t.Errorf("the message is %q", got)
	}
	if got := (rule.Verdict{}).Message(); got != "" {
		t.Errorf("the message of a pass is %q", got)
	}
}

// The clock is read twice for each rule that asks a fact, once for the other, and four times between
// them.
func TestVerdictsSayHowLongRulesTake(t *testing.T) {
	readings := 0
	elapsed := func() time.Duration {
		readings++
		return time.Duration(readings*readings) * time.Millisecond
	}
	r, err := rule.NewRegistry(compiler{"asks": {asks: []repository.Question{{Kind: repository.DealsOfUser}}}, "passes": {}}, nil, rule.Timed(elapsed))
	if err != nil {
		t.Fatal(err)
	}
	typed := func(expression string) ruledef.State {
		return ruledef.State{Name: expression, Resource: "deal", On: ruledef.Of(ruledef.Create), Expression: expression, Mode: ruledef.Shadow, Source: ruledef.Typed}
	}
	set := setOf(t, r, repository.RuleSet{Version: 1, Rules: []ruledef.State{typed("asks"), typed("passes")}})
	var verdicts []rule.Verdict
	if err := rule.Deals.Check(t.Context(), set, &answers{}, rule.Change[deal.State]{After: &deal.State{}}, &verdicts); err != nil {
		t.Fatal(err)
	}
	took := map[string]time.Duration{}
	for _, v := range verdicts {
		took[v.Rule] = v.Took
	}
	want := map[string]time.Duration{"asks": 20 * time.Millisecond, "passes": 9 * time.Millisecond}
	if diff := cmp.Diff(want, took); diff != "" || readings != 7 {
		t.Errorf("after %d readings: -want +got\n%s", readings, diff)
	}
}

func TestTypedRulesOfAWriteHaveALimitOfTimeTogether(t *testing.T) {
	var now, each time.Duration
	elapsed := func() time.Duration {
		now += each
		return now
	}
	r, err := rule.NewRegistry(compiler{"true": {}}, nil, rule.Timed(elapsed))
	if err != nil {
		t.Fatal(err)
	}
	stored := repository.RuleSet{Version: 1}
	for _, name := range []string{"a", "b"} {
		stored.Rules = append(stored.Rules, ruledef.State{
			Name: name, Resource: "deal", On: ruledef.Of(ruledef.Create), Expression: "true", Mode: ruledef.Enforce, Source: ruledef.Typed,
		})
	}
	set := setOf(t, r, stored)
	for _, tt := range []struct {
		each time.Duration
		want []string
	}{
		{900 * time.Millisecond, []string{"a passed", "b passed", "a passed", "b failed"}},
		{time.Second, []string{"a passed", "b passed", "a failed", "b failed"}},
	} {
		each = tt.each
		var verdicts []rule.Verdict
		for range 2 { // changes of one write
			err = rule.Deals.Check(t.Context(), set, &answers{}, rule.Change[deal.State]{After: &deal.State{}}, &verdicts)
		}
		if diff := cmp.Diff(tt.want, outcomes(verdicts)); diff != "" {
			t.Errorf("rules of %v: -want +got\n%s", each, diff)
		}
		if f := fault.As(err); f == nil || !strings.Contains(f.Fields[0].Message, "take longer than 2s together") {
			t.Errorf("rules of %v: the second change ends with %v", each, err)
		}
	}
}
