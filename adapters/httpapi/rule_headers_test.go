package httpapi

import (
	"errors"
	"fmt"
	"mime"
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

// contract 12.44, 12.101
func TestWarningIsOneHeaderPerRule(t *testing.T) {
	no := fault.Field{Name: "name", Message: `say "no"`}
	w, log := deleteJudged("", nil,
		verdict("stays", ruledef.Enforce, rule.Passed), verdict("quiet", ruledef.Shadow, rule.Refused, no),
		verdict("loud", ruledef.Warn, rule.Refused, no), verdict("fine", ruledef.Warn, rule.Passed),
		verdict("loud", ruledef.Warn, rule.Refused, no), verdict("broken", ruledef.Warn, rule.Failed, fault.Field{Message: "Grüße"}),
		verdict("other", ruledef.Warn, rule.Refused, fault.Field{Name: "name", Message: "no", Resource: "deal", RecordID: 7}))
	want := []string{
		`loud; field="name"; message="say \"no\""`, `broken; message*=UTF-8''Gr%C3%BC%C3%9Fe`,
		`other; resource=deal; record_id=7; field="name"; message="no"`,
	}
	if diff := cmp.Diff(want, w.Header().Values("Kontor-Warning")); diff != "" || w.Code != http.StatusOK {
		t.Errorf("%d: -want +got\n%s", w.Code, diff)
	}
	if got := w.Body.String(); got != `{"response":{"id":1}}` {
		t.Errorf("the body is %s", got)
	}
	if event := logEvent(t, log); event["rules"] != "quiet,loud,broken,other" || event["reactions"] != "move,notify" {
		t.Errorf("the log event has the rules %v and the reactions %v", event["rules"], event["reactions"])
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
func TestParameterOfAnyTextFitsInAHeader(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		`a "b" \c`:                               `a "b" \c`,
		"line\r\nX-A: b":                         "line\r\nX-A: b",
		"Straße — 10 %;":                         "Straße — 10 %;",
		"\x7f":                                   "\x7f",
		strings.Repeat("a", maxHeaderText):       strings.Repeat("a", maxHeaderText),
		strings.Repeat("a", maxHeaderText+1):     strings.Repeat("a", maxHeaderText-3) + "...",
		strings.Repeat(`"`, maxHeaderText):       strings.Repeat(`"`, (maxHeaderText-3)/2) + "...",
		strings.Repeat("ß", maxHeaderText/6):     strings.Repeat("ß", maxHeaderText/6),
		strings.Repeat("ß", maxHeaderText/6+1):   strings.Repeat("ß", (maxHeaderText-9)/6) + "…",
		strings.Repeat("🙂", 10*maxHeaderText):    strings.Repeat("🙂", (maxHeaderText-9)/12) + "…",
		strings.Repeat("\x00", 10*maxHeaderText): strings.Repeat("\x00", (maxHeaderText-9)/3) + "…",
	} {
		header := "rule" + parameter("message", text)
		if strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r > '~' }) || len(header) > maxHeaderText+40 {
			t.Errorf("%q: the header is %q", text, header)
		}
		_, parameters, err := mime.ParseMediaType(header)
		if got := parameters["message"]; got != want || err != nil {
			t.Errorf("%q: %q is read as %q, %v, want %q", text, header, got, err, want)
		}
	}
}

// contract 12.45
func TestRuleHeadersAreLimited(t *testing.T) {
	var values []string
	for i := range 100 {
		values = append(values, fmt.Sprintf("rule-%02d", i))
	}
	const size = len("Kontor-Warning: rule-00\r\n")
	for name, c := range map[string]struct {
		values, bytes int
		want          int // headers, of which the last says how many are omitted
	}{
		"as many as fit":  {10, 10 * size, 10},
		"one byte less":   {10, 10*size - 1, 10},
		"the number":      {maxWarnings, 1 << 20, maxWarnings},
		"one more":        {maxWarnings + 1, 1 << 20, maxWarnings},
		"none that fits":  {10, 0, 1},
		"none that exist": {0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := limited(values[:c.values:c.values], c.bytes)
			if len(got) != c.want {
				t.Fatalf("%d headers, want %d", len(got), c.want)
			}
			shown := len(got)
			if shown > 0 && strings.HasPrefix(got[shown-1], "*") {
				shown--
				if want := fmt.Sprintf("*; omitted=%d", c.values-shown); got[shown] != want {
					t.Errorf("the last is %q, want %q", got[shown], want)
				}
			}
			if shown > 0 && shown*size > c.bytes {
				t.Errorf("%d headers have more than %d bytes", shown, c.bytes)
			}
		})
	}
}
