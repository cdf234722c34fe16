package ruledef_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

// contract 12.70
func TestTrialResultListsTheFirstRecords(t *testing.T) {
	var f ruledef.TrialResult
	for id := range int64(ruledef.MaxRefusals + 1) {
		f.Refuse(id, strings.Repeat("n", 2*ruledef.MaxMessage))
		f.Fail(id+1000, "cannot")
	}
	if len(f.Refusals) != ruledef.MaxRefusals || len(f.Failures) != ruledef.MaxRefusals || f.Refused != f.Failed || f.Tried() != 2*(ruledef.MaxRefusals+1) {
		t.Fatalf("%d refusals and %d failures are listed of %d records", len(f.Refusals), len(f.Failures), f.Tried())
	}
	if f.Refusals[99].RecordID != 99 || f.Failures[99].RecordID != 1099 || utf8.RuneCountInString(f.Refusals[0].Message) != ruledef.MaxMessage {
		t.Errorf("the last ones are of the records %d and %d, the message is %s", f.Refusals[99].RecordID, f.Failures[99].RecordID, f.Refusals[0].Message)
	}
}
