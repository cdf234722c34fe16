package ruledef

import (
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
)

// TrialID identifies the trial of a rule. Zero is none.
type TrialID int64

// Trial is the record of the trial of a rule: what the rule says of all records of its
// resource as they are.
type Trial struct {
	ID        TrialID // zero in a dry run
	Rule      State   // as it is tried; without an id if it is not stored
	UserID    user.ID // who tries it
	State     TrialState
	Error     string // why it has failed
	Findings  Findings
	StartedAt time.Time
	EndedAt   time.Time // zero while it runs
}

// Percent is how far the trial is: 100 if and only if it is done.
func (t Trial) Percent() int {
	if t.State == TrialDone {
		return 100
	}
	return min(int(t.Findings.Done*100), 99)
}

// TrialState is the state of a trial. The zero value is invalid.
type TrialState uint8

// The states of trials.
const (
	TrialRunning TrialState = iota + 1
	TrialDone
	TrialFailed // for a reason that is no matter of the rule
)

// TrialStates are all states of trials, by their names.
var TrialStates = []string{TrialRunning: "running", TrialDone: "done", TrialFailed: "failed"}[TrialRunning:]

// String is the state's name; empty for the zero value.
func (s TrialState) String() string {
	if s < TrialRunning || s > TrialFailed {
		return ""
	}
	return TrialStates[s-TrialRunning]
}

// ParseTrialState is the state of that name; ok is false if there is none.
func ParseTrialState(name string) (s TrialState, ok bool) {
	i := slices.Index(TrialStates, name)
	return TrialRunning + TrialState(max(i, 0)), i >= 0
}
