package ruledef

import "github.com/kontor-crm/kontor/domain/text"

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

// Finding is a record that did not pass a trial, with the reason, of at most MaxMessage characters.
type Finding struct {
	RecordID int64
	Message  string
}

// MaxFindings is the maximum length of each list of Findings.
const MaxFindings = 100

// Tried returns the number of records tried so far.
func (f *Findings) Tried() int64 { return f.Passed + f.Refused + f.Failed }

// Refuse adds a refused record. Its id must be greater than those added before.
func (f *Findings) Refuse(id int64, message string) {
	f.Refused++
	f.Refusals = appendFinding(f.Refusals, id, message)
}

// Fail adds a record for which the rule cannot be evaluated. Its id must be greater than
// those added before.
func (f *Findings) Fail(id int64, reason string) {
	f.Failed++
	f.Failures = appendFinding(f.Failures, id, reason)
}

func appendFinding(list []Finding, id int64, message string) []Finding {
	if len(list) == MaxFindings {
		return list
	}
	return append(list, Finding{id, text.Truncate(message, MaxMessage)})
}
