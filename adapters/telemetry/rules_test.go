package telemetry

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// contract 12.48
func TestRuleMetricsCountVerdictsAndTime(t *testing.T) {
	both := &Telemetry{metrics: newMetrics(Settings{})}
	for range 2 {
		both.Rules().Observe([]rule.Verdict{
			{Rule: "a", Mode: ruledef.Enforce, Outcome: rule.Passed, Took: time.Second / 4},
			{Rule: "a", Mode: ruledef.Enforce, Outcome: rule.Refused, Took: time.Second / 4},
			{Rule: "b", Mode: ruledef.Shadow, Outcome: rule.Failed},
		})
	}
	w := httptest.NewRecorder()
	both.Admin(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`kontor_rule_verdicts_total{mode="enforce",outcome="passed",rule="a"} 2`,
		`kontor_rule_verdicts_total{mode="enforce",outcome="refused",rule="a"} 2`,
		`kontor_rule_verdicts_total{mode="shadow",outcome="failed",rule="b"} 2`,
		`kontor_rule_seconds_total{rule="a"} 1`,
		`kontor_rule_seconds_total{rule="b"} 0`,
	} {
		if !strings.Contains(w.Body.String(), want+"\n") {
			t.Errorf("there is no %s", want)
		}
	}
}

func TestRulesAreNotObservedWithoutMetrics(t *testing.T) {
	if o := (&Telemetry{}).Rules(); o != nil {
		t.Errorf("the observer is %v", o)
	}
}
