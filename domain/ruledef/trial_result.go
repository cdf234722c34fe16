package ruledef

import "github.com/kontor-crm/kontor/domain/text"

// TrialResult is the result of a trial so far.
type TrialResult struct {
	Passed  int64
	Refused int64
	Failed  int64 // records for which the rule cannot be evaluated
	// The first MaxRefusals refusals and failures, by record id.
	Refusals []Refusal
	Failures []Refusal
	Done     float64 // estimated part of the records, 0 to 1
}

// Refusal is a record that did not pass a trial, with the reason, of at most MaxMessage characters.
type Refusal struct {
	RecordID int64
	Message  string
}

// MaxRefusals is the maximum length of each list of a TrialResult.
const MaxRefusals = 100

// Tried returns the number of records tried so far.
func (r *TrialResult) Tried() int64 { return r.Passed + r.Refused + r.Failed }

// Refuse adds a refused record. Its id must be greater than those added before.
func (r *TrialResult) Refuse(id int64, message string) {
	r.Refused++
	r.Refusals = appendRefusal(r.Refusals, id, message)
}

// Fail adds a record for which the rule cannot be evaluated. Its id must be greater than
// those added before.
func (r *TrialResult) Fail(id int64, reason string) {
	r.Failed++
	r.Failures = appendRefusal(r.Failures, id, reason)
}

func appendRefusal(list []Refusal, id int64, message string) []Refusal {
	if len(list) == MaxRefusals {
		return list
	}
	return append(list, Refusal{id, text.Truncate(message, MaxMessage)})
}
