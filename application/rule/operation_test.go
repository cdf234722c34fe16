package rule_test

import (
	"testing"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

func TestOperationFollowsFromTheStates(t *testing.T) {
	one, other := &deal.State{ID: 1}, &deal.State{ID: 1, Name: "Beds"}
	for _, tt := range []struct {
		change rule.Change[deal.State]
		input  rule.Input
		want   ruledef.Operation
	}{
		{rule.Change[deal.State]{After: one}, rule.Input{After: one}, ruledef.Create},
		{rule.Change[deal.State]{Before: one, After: other}, rule.Input{Before: one, After: other}, ruledef.Update},
		{rule.Change[deal.State]{Before: one}, rule.Input{Before: one}, ruledef.Delete},
	} {
		if tt.change.Operation() != tt.want || tt.input.Operation() != tt.want {
			t.Errorf("a change is a %s, and what an expression judges is a %s, want %s", tt.change.Operation(), tt.input.Operation(), tt.want)
		}
	}
}

// observed keeps the number of verdicts of each call.
type observed []int

func (o *observed) Observe(v []rule.Verdict) { *o = append(*o, len(v)) }

func TestObserverGetsVerdictsIfThereAreAny(t *testing.T) {
	var o observed
	for _, observer := range []rule.Observer{nil, &o} {
		r, err := rule.NewRegistry(nil, observer)
		if err != nil {
			t.Fatal(err)
		}
		r.Observe(nil)
		r.Observe([]rule.Verdict{{Rule: "one"}})
	}
	if len(o) != 1 || o[0] != 1 {
		t.Errorf("it is called with %v verdicts, want one once", o)
	}
}
