package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kontor-crm/kontor/application/rule"
)

// ruleMetrics are the metrics of rules. Those of a rule that is deleted or renamed stay until the
// process ends: only administrators and the program make new rules.
type ruleMetrics struct {
	verdicts *prometheus.CounterVec
	seconds  *prometheus.CounterVec
}

func newRuleMetrics() ruleMetrics {
	return ruleMetrics{
		verdicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kontor_rule_verdicts_total", Help: "Changes that a rule was asked about, by its mode and what it said.",
		}, []string{"rule", "mode", "outcome"}),
		seconds: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kontor_rule_seconds_total", Help: "Time spent in a rule.",
		}, []string{"rule"}),
	}
}

func (m ruleMetrics) Observe(verdicts []rule.Verdict) {
	for _, v := range verdicts {
		m.verdicts.WithLabelValues(v.Rule, v.Mode.String(), v.Outcome.String()).Inc()
		m.seconds.WithLabelValues(v.Rule).Add(v.Took.Seconds())
	}
}
