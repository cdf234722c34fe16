package rule

import "slices"

// Report has the verdicts of a write and the reactions to it.
type Report struct {
	Verdicts  []Verdict
	Reactions []string // the names of those that were called
	Failure   error    // a panic of a reaction, for the log
	Warnings  []string // names of what may be wrong although it is stored, without a rule
}

// Refusals returns the first verdict of each rule that is not Passed, in the order of the
// verdicts.
func (r *Report) Refusals() (refusals []Verdict) {
	for _, v := range r.Verdicts {
		if v.Outcome != Passed && indexOf(refusals, v.Rule) < 0 {
			refusals = append(refusals, v)
		}
	}
	return refusals
}

// ByRule returns one verdict of each rule that was evaluated: its first that is not Passed, or
// else a pass. They are in the order of the first evaluations.
func (r *Report) ByRule() (verdicts []Verdict) {
	for _, v := range r.Verdicts {
		switch i := indexOf(verdicts, v.Rule); {
		case i < 0:
			verdicts = append(verdicts, v)
		case verdicts[i].Outcome == Passed:
			verdicts[i] = v
		}
	}
	return verdicts
}

func indexOf(verdicts []Verdict, rule string) int {
	return slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Rule == rule })
}
