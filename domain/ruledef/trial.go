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
	ID        TrialID
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
	TrialFailed    // for a reason that is no matter of the rule
	TrialCancelled // before its end
)

// TrialStates are all states of trials, by their names.
var TrialStates = []string{TrialRunning: "running", TrialDone: "done", TrialFailed: "failed", TrialCancelled: "cancelled"}[TrialRunning:]

// String is the state's name; empty for the zero value.
func (s TrialState) String() string {
	if s < TrialRunning || s > TrialCancelled {
		return ""
	}
	return TrialStates[s-TrialRunning]
}

// ParseTrialState is the state of that name; ok is false if there is none.
func ParseTrialState(name string) (s TrialState, ok bool) {
	i := slices.Index(TrialStates, name)
	return TrialRunning + TrialState(max(i, 0)), i >= 0 //nolint:gosec // of four
}

// Findings are what a rule says of the records that it was tried on so far.
type Findings struct {
	Passed  int64
	Refused int64
	Failed  int64 // records for which the rule cannot be evaluated
	// The first refusals and failures, by the ids of the records.
	Refusals []Finding
	Failures []Finding
	Done     float64 // estimated part of the records, 0 to 1
}

// Finding is what a rule says of a record that does not pass.
type Finding struct {
	RecordID int64
	Message  string
}

// MaxFindings limits the lists of Findings.
const MaxFindings = 100

// Tried is the number of records.
func (f Findings) Tried() int64 { return f.Passed + f.Refused + f.Failed }

// Add adds the findings about other records. The lists that both have had before stay as
// they are.
func (f *Findings) Add(more Findings) {
	f.Passed += more.Passed
	f.Refused += more.Refused
	f.Failed += more.Failed
	f.Refusals = firstOf(f.Refusals, more.Refusals)
	f.Failures = firstOf(f.Failures, more.Failures)
	f.Done = max(f.Done, more.Done)
}

func firstOf(a, b []Finding) []Finding {
	if len(b) == 0 || len(a) == MaxFindings && a[MaxFindings-1].RecordID < b[0].RecordID {
		return a
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y Finding) int { return int(x.RecordID - y.RecordID) })
	return all[:min(len(all), MaxFindings)]
}

// Refuse adds a record that is refused, whose id is greater than those before.
func (f *Findings) Refuse(id int64, message string) {
	f.Refused++
	if len(f.Refusals) < MaxFindings {
		f.Refusals = append(f.Refusals, Finding{id, message})
	}
}

// Fail adds a record for which the rule cannot be evaluated, as Refuse does.
func (f *Findings) Fail(id int64, reason string) {
	f.Failed++
	if len(f.Failures) < MaxFindings {
		f.Failures = append(f.Failures, Finding{id, reason})
	}
}
