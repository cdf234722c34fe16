package ruledef

import (
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
)

// TrialID identifies a trial. Zero is none.
type TrialID int64

// Trial is the record of a trial: a run of a rule over all records of its resource.
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

// Percent returns the progress of the trial, 0 to 100; 100 if and only if it is done.
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

// TrialStates are the names of all states.
var TrialStates = []string{TrialRunning: "running", TrialDone: "done", TrialFailed: "failed"}[TrialRunning:]

// String returns the state's name; empty for the zero value.
func (s TrialState) String() string {
	if s < TrialRunning || s > TrialFailed {
		return ""
	}
	return TrialStates[s-TrialRunning]
}

// ParseTrialState returns the state with the name; ok is false if there is none.
func ParseTrialState(name string) (s TrialState, ok bool) {
	i := slices.Index(TrialStates, name)
	return TrialRunning + TrialState(max(i, 0)), i >= 0
}
