package ruledef_test

import (
	"testing"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

func TestTrialStateIsParsedFromItsName(t *testing.T) {
	for _, name := range ruledef.TrialStates {
		if s, ok := ruledef.ParseTrialState(name); !ok || s.String() != name {
			t.Errorf("%s is parsed as %v, %v", name, s, ok)
		}
	}
	if _, ok := ruledef.ParseTrialState("walking"); ok || ruledef.TrialState(0).String() != "" {
		t.Error("a state without a name was parsed")
	}
}

func TestTrialIsAt100PercentOnlyWhenItIsDone(t *testing.T) {
	for state, want := range map[ruledef.TrialState]int{ruledef.TrialRunning: 99, ruledef.TrialDone: 100, ruledef.TrialFailed: 99} {
		if got := (ruledef.Trial{State: state, Findings: ruledef.Findings{Done: 1}}).Percent(); got != want {
			t.Errorf("%s: %d %%, want %d", state, got, want)
		}
	}
}
