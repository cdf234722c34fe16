package ruledef_test

import (
	"testing"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

// contract 12.70
func TestFindingsAreTheFirstOfAllPages(t *testing.T) {
	const page = 60
	findings := func(from int64) (f ruledef.Findings) {
		for id := from; id < from+page; id++ {
			f.Refuse(id, "no")
			f.Fail(id+1000, "cannot")
		}
		f.Passed, f.Done = 7, float64(from)/1000
		return f
	}
	var all ruledef.Findings
	for _, from := range []int64{181, 61, 1, 121} { // pages may end in any order
		all.Add(findings(from))
	}
	if all.Passed != 4*7 || all.Refused != 4*page || all.Failed != 4*page || all.Tried() != 4*(7+2*page) || all.Done != 0.181 {
		t.Errorf("they are %+v", all)
	}
	if len(all.Refusals) != ruledef.MaxFindings || len(all.Failures) != ruledef.MaxFindings {
		t.Fatalf("%d refusals and %d failures are listed", len(all.Refusals), len(all.Failures))
	}
	for i := range all.Refusals {
		if id := int64(i + 1); all.Refusals[i].RecordID != id || all.Failures[i].RecordID != id+1000 {
			t.Fatalf("in place %d are %v and %v", i, all.Refusals[i], all.Failures[i])
		}
	}
}

func TestFindingsOfOnePageAreLimited(t *testing.T) {
	var f ruledef.Findings
	for id := range int64(ruledef.MaxFindings + 1) {
		f.Refuse(id, "no")
		f.Fail(id, "cannot")
	}
	if len(f.Refusals) != ruledef.MaxFindings || len(f.Failures) != ruledef.MaxFindings || f.Refused != f.Failed || f.Tried() != 2*(ruledef.MaxFindings+1) {
		t.Errorf("%d refusals and %d failures are listed of %d records", len(f.Refusals), len(f.Failures), f.Tried())
	}
}
