package telemetry

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// scraped is the text of the metrics.
func scraped(t *testing.T, of *Telemetry) string {
	t.Helper()
	w := httptest.NewRecorder()
	of.Admin(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// checkLines checks that the metrics have each of the lines.
func checkLines(t *testing.T, of *Telemetry, lines ...string) {
	t.Helper()
	text := scraped(t, of)
	for _, want := range lines {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("there is no %s", want)
		}
	}
}

func TestRuleMetricsCountVerdictsAndTime(t *testing.T) {
	both := &Telemetry{metrics: newMetrics(Settings{})}
	for range 2 {
		both.Rules().Observe([]rule.Verdict{
			{Rule: "a", Mode: ruledef.Enforce, Outcome: rule.Passed, Took: time.Second / 4},
			{Rule: "a", Mode: ruledef.Enforce, Outcome: rule.Refused, Took: time.Second / 4},
			{Rule: "b", Mode: ruledef.Shadow, Outcome: rule.Failed},
		})
	}
	checkLines(
		t, both,
		`kontor_rule_verdicts_total{mode="enforce",outcome="passed",rule="a"} 2`,
		`kontor_rule_verdicts_total{mode="enforce",outcome="refused",rule="a"} 2`,
		`kontor_rule_verdicts_total{mode="shadow",outcome="failed",rule="b"} 2`,
		`kontor_rule_seconds_total{rule="a"} 1`,
		`kontor_rule_seconds_total{rule="b"} 0`,
	)
}

func TestRulesAreNotObservedWithoutMetrics(t *testing.T) {
	if o := (&Telemetry{}).Rules(); o != nil {
		t.Errorf("the observer is %v", o)
	}
}

func TestMetricsShowEachStateOfAnInstance(t *testing.T) {
	all := &Telemetry{metrics: newMetrics(Settings{})}
	all.Observe(
		func() Pool { return Pool{Acquired: 1, Idle: 2, Max: 3, Acquires: 4, Waits: 5, Waited: 6 * time.Second} },
		func() SlowStatements {
			return SlowStatements{Running: 1, Waiting: 2, Max: 3, Entered: 4, Rejected: 5, Waited: 6 * time.Second}
		},
		func(context.Context) (ReadModels, error) {
			return ReadModels{IsReady: true, OpenBatches: 2, OldestBatch: 4}, nil
		},
	)
	checkLines(
		t, all,
		`kontor_pool_connections{state="acquired"} 1`, `kontor_pool_connections{state="idle"} 2`, `kontor_pool_max_connections 3`,
		`kontor_pool_acquires_total 4`, `kontor_pool_waits_total 5`, `kontor_pool_wait_seconds_total 6`,
		`kontor_slow_statements{state="running"} 1`, `kontor_slow_statements{state="waiting"} 2`, `kontor_slow_statements_max 3`,
		`kontor_slow_statements_total 4`, `kontor_slow_statements_rejected_total 5`, `kontor_slow_statements_wait_seconds_total 6`,
		`kontor_database_up 1`, `kontor_readmodel_ready 1`,
		`kontor_readmodel_open_batches 2`, `kontor_readmodel_folds_total 3`,
	)
}

func TestMetricsShowThatTheDatabaseIsDown(t *testing.T) {
	down := &Telemetry{metrics: newMetrics(Settings{})}
	down.Observe(
		func() Pool { return Pool{} }, func() SlowStatements { return SlowStatements{} },
		func(context.Context) (ReadModels, error) { return ReadModels{}, errors.New("down") },
	)
	checkLines(t, down, `kontor_database_up 0`)
	if strings.Contains(scraped(t, down), "kontor_readmodel_") {
		t.Error("an unknown value is shown")
	}
}
