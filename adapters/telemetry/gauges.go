package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Pool is the state of the connections to the database.
type Pool struct {
	Acquired, Idle, Max int32
	Acquires            int64         // acquired connections
	Waits               int64         // acquisitions that had to wait
	Waited              time.Duration // total waiting time
}

// SlowStatements is the state of the limit on slow statements.
type SlowStatements struct {
	Running, Waiting, Max int64
	Entered               int64         // those that ran
	Rejected              int64         // those that did not
	Waited                time.Duration // total waiting time of those that ran
}

// ReadModels is the state of the read models.
type ReadModels struct {
	IsReady     bool
	OpenBatches int64 // change batches that are not folded yet
	OldestBatch int64 // the number of the oldest of them; grows by one with each folded batch
}

// queryTimeout is how long the metrics wait for the database.
const queryTimeout = 2 * time.Second

// Observe adds the state of the pool, of the slow statements and of the read models to
// the metrics. The functions are called for each scrape.
func (t *Telemetry) Observe(pool func() Pool, slow func() SlowStatements, models func(ctx context.Context) (ReadModels, error)) {
	if t.metrics != nil {
		t.metrics.registry.MustRegister(poolGauges(pool), slowGauges(slow), modelGauges(models))
	}
}

func newDesc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("kontor_"+name, help, labels, nil)
}

var (
	poolConnections = newDesc("pool_connections", "Connections to the database, by state.", "state")
	poolMax         = newDesc("pool_max_connections", "Largest number of connections to the database.")
	poolAcquires    = newDesc("pool_acquires_total", "Connections acquired from the pool.")
	poolWaits       = newDesc("pool_waits_total", "Acquisitions that had to wait for a connection.")
	poolWaited      = newDesc("pool_wait_seconds_total", "Total time spent waiting for a connection.")

	slowStatements = newDesc("slow_statements", "Slow statements, by state: running, or waiting without a connection.", "state")
	slowMax        = newDesc("slow_statements_max", "Largest number of slow statements that run at the same time.")
	slowEntered    = newDesc("slow_statements_total", "Slow statements that were run.")
	slowRejected   = newDesc("slow_statements_rejected_total", "Slow statements not run: too many waited, or one for too long.")
	slowWaited     = newDesc("slow_statements_wait_seconds_total", "Total time that slow statements waited before they were run.")

	databaseUp  = newDesc("database_up", "Whether the database responded when these metrics were read.")
	modelsReady = newDesc("readmodel_ready", "Whether the read models are up to date (1), or to be rebuilt (0).")
	modelsOpen  = newDesc("readmodel_open_batches", "Change batches that are not folded yet. More than two for long: no process folds them.")
	modelsFolds = newDesc("readmodel_folds_total", "Change batches that were folded, by any process on this database.")
)

// collector implements prometheus.Collector by a function that collects all metrics.
type collector struct {
	descs   []*prometheus.Desc
	collect func(out chan<- prometheus.Metric)
}

func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		out <- d
	}
}

func (c collector) Collect(out chan<- prometheus.Metric) { c.collect(out) }

func poolGauges(state func() Pool) prometheus.Collector {
	return collector{[]*prometheus.Desc{poolConnections, poolMax, poolAcquires, poolWaits, poolWaited}, func(out chan<- prometheus.Metric) {
		s := state()
		out <- gauge(poolConnections, float64(s.Acquired), "acquired")
		out <- gauge(poolConnections, float64(s.Idle), "idle")
		out <- gauge(poolMax, float64(s.Max))
		out <- counter(poolAcquires, float64(s.Acquires))
		out <- counter(poolWaits, float64(s.Waits))
		out <- counter(poolWaited, s.Waited.Seconds())
	}}
}

func slowGauges(state func() SlowStatements) prometheus.Collector {
	return collector{[]*prometheus.Desc{slowStatements, slowMax, slowEntered, slowRejected, slowWaited}, func(out chan<- prometheus.Metric) {
		s := state()
		out <- gauge(slowStatements, float64(s.Running), "running")
		out <- gauge(slowStatements, float64(s.Waiting), "waiting")
		out <- gauge(slowMax, float64(s.Max))
		out <- counter(slowEntered, float64(s.Entered))
		out <- counter(slowRejected, float64(s.Rejected))
		out <- counter(slowWaited, s.Waited.Seconds())
	}}
}

// modelGauges collects the state of the read models. If the database does not
// respond, it collects database_up only. Concurrent reads of the metrics take turns.
func modelGauges(state func(ctx context.Context) (ReadModels, error)) prometheus.Collector {
	var turn sync.Mutex
	return collector{[]*prometheus.Desc{databaseUp, modelsReady, modelsOpen, modelsFolds}, func(out chan<- prometheus.Metric) {
		turn.Lock()
		defer turn.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
		defer cancel()
		s, err := state(ctx)
		if err != nil {
			out <- gauge(databaseUp, 0)
			return
		}
		out <- gauge(databaseUp, 1)
		out <- gauge(modelsReady, boolValue[s.IsReady])
		out <- gauge(modelsOpen, float64(s.OpenBatches))
		out <- counter(modelsFolds, float64(s.OldestBatch-1))
	}}
}

var boolValue = map[bool]float64{true: 1}

func gauge(d *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func counter(d *prometheus.Desc, value float64) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.CounterValue, value)
}
