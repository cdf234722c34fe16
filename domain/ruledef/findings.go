package ruledef

import (
	"cmp"
	"slices"
)

// Findings are the results of a trial so far.
type Findings struct {
	Passed  int64
	Refused int64
	Failed  int64 // records for which the rule cannot be evaluated
	// The first MaxFindings refusals and failures, by record id.
	Refusals []Finding
	Failures []Finding
	Done     float64 // estimated part of the records, 0 to 1
}

// Finding is a record that did not pass a trial, with the reason.
type Finding struct {
	RecordID int64
	Message  string
}

// MaxFindings is the maximum length of each list of Findings.
const MaxFindings = 100

// Tried returns the number of records tried so far.
func (f Findings) Tried() int64 { return f.Passed + f.Refused + f.Failed }

// Add adds the findings about other records. It does not modify the slices of either
// operand.
func (f *Findings) Add(other Findings) {
	f.Passed += other.Passed
	f.Refused += other.Refused
	f.Failed += other.Failed
	f.Refusals = firstOf(f.Refusals, other.Refusals)
	f.Failures = firstOf(f.Failures, other.Failures)
	f.Done = max(f.Done, other.Done)
}

func firstOf(a, b []Finding) []Finding {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y Finding) int { return cmp.Compare(x.RecordID, y.RecordID) })
	return all[:min(len(all), MaxFindings)]
}

// Refuse adds a refused record. Its id must be greater than those added before.
func (f *Findings) Refuse(id int64, message string) {
	f.Refused++
	if len(f.Refusals) < MaxFindings {
		f.Refusals = append(f.Refusals, Finding{id, message})
	}
}

// Fail adds a record for which the rule cannot be evaluated. Its id must be greater than
// those added before.
func (f *Findings) Fail(id int64, reason string) {
	f.Failed++
	if len(f.Failures) < MaxFindings {
		f.Failures = append(f.Failures, Finding{id, reason})
	}
}
