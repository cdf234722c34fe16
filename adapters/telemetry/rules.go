package telemetry

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

// ruleMetrics are the metrics of rules. Those of a rule that is deleted or renamed stay until the
// process ends.
type ruleMetrics struct {
	verdicts *prometheus.CounterVec
	seconds  *prometheus.CounterVec

	meters sync.Map // of *ruleMeter by ruleVerdict
}

// ruleVerdict is what is counted. Only administrators and the program make new rules.
type ruleVerdict struct {
	rule    string
	mode    ruledef.Mode
	outcome rule.Outcome
}

// ruleMeter has the metrics of one kind of verdict, looked up once.
type ruleMeter struct{ verdicts, seconds prometheus.Counter }

func newRuleMetrics() (verdicts, seconds *prometheus.CounterVec) {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kontor_rule_verdicts_total", Help: "Changes that a rule was asked about, by its mode and what it said.",
		}, []string{"rule", "mode", "outcome"}),
		prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kontor_rule_seconds_total", Help: "Time spent in a rule.",
		}, []string{"rule"})
}

// Observe implements rule.Observer.
func (m *ruleMetrics) Observe(verdicts []rule.Verdict) {
	for _, v := range verdicts {
		to := m.meter(ruleVerdict{v.Rule, v.Mode, v.Outcome})
		to.verdicts.Inc()
		to.seconds.Add(v.Took.Seconds())
	}
}

func (m *ruleMetrics) meter(of ruleVerdict) *ruleMeter {
	if known, ok := m.meters.Load(of); ok {
		return known.(*ruleMeter)
	}
	known, _ := m.meters.LoadOrStore(of, &ruleMeter{
		verdicts: m.verdicts.WithLabelValues(of.rule, of.mode.String(), of.outcome.String()),
		seconds:  m.seconds.WithLabelValues(of.rule),
	})
	return known.(*ruleMeter)
}
