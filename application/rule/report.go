package rule

import "slices"

// Report is what was said of a write, and what followed from it.
type Report struct {
	Verdicts  []Verdict
	Reactions []string // the names of those that were called
}

// Refusals are the verdicts that are no pass, one of each rule: the first, in the order in which
// they were given.
func (r *Report) Refusals() (refusals []Verdict) {
	for _, v := range r.Verdicts {
		if v.Outcome != Passed && indexOf(refusals, v.Rule) < 0 {
			refusals = append(refusals, v)
		}
	}
	return refusals
}

// ByRule is one verdict of each rule that was asked, in the order in which they were first asked: its
// first refusal, or else a pass.
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
