package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

func verdict(name string, m ruledef.Mode, o rule.Outcome, fields ...fault.Field) rule.Verdict {
	return rule.Verdict{Rule: name, Mode: m, Outcome: o, Fields: fields}
}

// judged is a resource whose records are deleted, or not because of the error, with these verdicts.
func judged(refusal error, verdicts ...rule.Verdict) Resource {
	return Resource{{method: http.MethodDelete, path: "/rest/judged/:id", handle: func(c *call) (*response, error) {
		request := c.request()
		request.Report.Verdicts, request.Report.Reactions = verdicts, []string{"move", "notify"}
		a := removed(c.id)
		a.isDryRun = request.DryRun
		return a, refusal
	}}}
}

func deleteJudged(prefer string, refusal error, verdicts ...rule.Verdict) (w *httptest.ResponseRecorder, log string) {
	r := httptest.NewRequest(http.MethodDelete, "/rest/judged/1?auth_key=good", nil)
	r.Header.Set("Prefer", prefer)
	return doWith(judged(refusal, verdicts...), r)
}

// contract 12.44
func TestWarningNamesTheRulesThatWouldRefuse(t *testing.T) {
	no := fault.Field{Name: "name", Message: `say "no"`}
	w, log := deleteJudged("", nil,
		verdict("stays", ruledef.Enforce, rule.Passed), verdict("quiet", ruledef.Shadow, rule.Refused, no),
		verdict("loud", ruledef.Warn, rule.Refused, no), verdict("fine", ruledef.Warn, rule.Passed),
		verdict("loud", ruledef.Warn, rule.Refused, no), verdict("broken", ruledef.Warn, rule.Failed, fault.Field{Message: "Grüße"}),
		verdict("other", ruledef.Warn, rule.Refused, fault.Field{Name: "name", Message: "no", Resource: "deal", RecordID: 7}))
	if diff := cmp.Diff([]string{"loud, broken, other"}, w.Header().Values("Kontor-Warning")); diff != "" || w.Code != http.StatusOK {
		t.Errorf("%d: -want +got\n%s", w.Code, diff)
	}
	if got := w.Body.String(); got != `{"response":{"id":1}}` {
		t.Errorf("the body is %s", got)
	}
	if event := logEvent(t, log); event["rules"] != "quiet,loud,broken,other" || event["reactions"] != "move,notify" {
		t.Errorf("the log event has the rules %v and the reactions %v", event["rules"], event["reactions"])
	}
}

// contract 3.38, 12.44
func TestWarningsOfRulesAndOfTheServiceAreOneHeader(t *testing.T) {
	r := httptest.NewRequest(http.MethodDelete, "/rest/judged/1?auth_key=good&bogus=1", nil)
	loud := judged(nil, verdict("loud", ruledef.Warn, rule.Refused, fault.Field{Message: "no"}))
	loud[0].knows = func() *knownNames { return &knownNames{} }
	w, _ := doWith(loud, r, func(config *Config) { config.Lenient = true })
	if diff := cmp.Diff([]string{"*ignored, loud"}, w.Header().Values("Kontor-Warning")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// contract 12.112
func TestLogNamesARuleThatHasFailed(t *testing.T) {
	failed := verdict("broken", ruledef.Shadow, rule.Failed, fault.Field{Message: "the rule broken cannot be evaluated: it panics"})
	failed.Cause = errors.New("a panic: index out of range")
	w, log := deleteJudged("", nil, failed)
	if event := logEvent(t, log); w.Code != http.StatusOK || event["level"] != "ERROR" || event["error"] != "the rule broken has failed: a panic: index out of range" {
		t.Errorf("%d with the log event %v", w.Code, event)
	}
}

// contract 12.44
func TestRefusedWriteHasNoWarning(t *testing.T) {
	w, log := deleteJudged("", fault.New(fault.Invalid, "no"),
		verdict("strict", ruledef.Enforce, rule.Refused, fault.Field{Message: "no"}), verdict("loud", ruledef.Warn, rule.Refused, fault.Field{Message: "no"}))
	if got := w.Header().Values("Kontor-Warning"); got != nil || w.Code != http.StatusUnprocessableEntity {
		t.Errorf("%d with the warnings %q", w.Code, got)
	}
	if event := logEvent(t, log); event["rules"] != "strict,loud" {
		t.Errorf("the log event has the rules %v", event["rules"])
	}
}

// contract 12.47
func TestDryRunShowsTheVerdictOfEachRule(t *testing.T) {
	no := fault.Field{Name: "name", Message: "no"}
	verdicts := []rule.Verdict{
		verdict("strict", ruledef.Enforce, rule.Refused, no), verdict("stays", ruledef.Enforce, rule.Passed),
		verdict("loud", ruledef.Warn, rule.Failed, no), verdict("quiet", ruledef.Shadow, rule.Refused, fault.Field{Message: "no", Resource: "deal", RecordID: 7}),
	}
	const want = `"verdicts":[{"rule":"strict","mode":"enforce","outcome":"refused","field":"name","message":"no"},` +
		`{"rule":"stays","mode":"enforce","outcome":"passed"},` +
		`{"rule":"loud","mode":"warn","outcome":"failed","field":"name","message":"no"},` +
		`{"rule":"quiet","mode":"shadow","outcome":"refused","message":"no","resource":"deal","record_id":7}]}`
	const inXML = "<verdicts><verdict><rule>strict</rule><mode>enforce</mode><outcome>refused</outcome><field>name</field><message>no</message></verdict>"
	for status, refusal := range map[int]error{http.StatusOK: nil, http.StatusUnprocessableEntity: fault.New(fault.Invalid, "no")} {
		w, _ := deleteJudged("dry-run", refusal, verdicts...)
		if got := w.Body.String(); !strings.HasSuffix(got, want) || refusal == nil && got != `{"response":{"id":1},`+want || w.Code != status {
			t.Errorf("%d, want %d: the body is %s", w.Code, status, got)
		}
		if warns := len(w.Header().Values("Kontor-Warning")) == 1; warns != (refusal == nil) {
			t.Errorf("%d with the warnings %q", w.Code, w.Header().Values("Kontor-Warning"))
		}
		r := httptest.NewRequest(http.MethodDelete, "/rest/judged/1?auth_key=good&dry_run=1&_format=xml", nil)
		w, _ = doWith(judged(refusal, verdicts...), r)
		if got := w.Body.String(); !strings.Contains(got, inXML) || refusal == nil && !strings.HasSuffix(got, "</verdicts></response>") {
			t.Errorf("the body is %s", got)
		}
	}
}

// contract 12.45
func TestWarningsAreLimited(t *testing.T) {
	names := func(n int) string { return strings.TrimSuffix(strings.Repeat("rule, ", n), ", ") }
	const most = (maxWarning + len(", ")) / len("rule, ")
	for n, want := range map[int]string{
		0: "", 1: "rule", most: names(most), most + 1: names(most-1) + ", *more", 100 * most: names(most-1) + ", *more",
	} {
		if got := limited(names(n)); got != want || len(got) > maxWarning {
			t.Errorf("of %d names, the header has %d bytes and ends with %q, want %d", n, len(got), got[max(0, len(got)-20):], len(want))
		}
	}
}
