package ruledef

import (
	"cmp"
	"slices"
)

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
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y Finding) int { return cmp.Compare(x.RecordID, y.RecordID) })
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
