package rule_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/rule"
)

// contract 12.44, 12.47
func TestReportHasOneVerdictOfEachRule(t *testing.T) {
	r := &rule.Report{Verdicts: []rule.Verdict{
		{Rule: "a", Outcome: rule.Passed}, {Rule: "b", Outcome: rule.Failed, RecordID: 1}, {Rule: "c", Outcome: rule.Passed},
		{Rule: "a", Outcome: rule.Refused, RecordID: 2}, {Rule: "b", Outcome: rule.Refused, RecordID: 3}, {Rule: "c", Outcome: rule.Passed},
		{Rule: "a", Outcome: rule.Failed, RecordID: 4},
	}}
	b, a := r.Verdicts[1], r.Verdicts[3]
	if diff := cmp.Diff([]rule.Verdict{b, a}, r.Refusals()); diff != "" {
		t.Errorf("the refusals: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]rule.Verdict{a, b, r.Verdicts[2]}, r.ByRule()); diff != "" {
		t.Errorf("by rule: -want +got\n%s", diff)
	}
}
