package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Pool is the state of the connections to the database.
type Pool struct {
	Acquired, Idle, Max int32
	Acquires            int64         // how often a connection was taken
	Waits               int64         // how often one had to be waited for
	Waited              time.Duration // for how long, all in all
}

// ReadModels is the state of what lists are read from.
type ReadModels struct {
	ListsReady, SearchReady bool
	OpenBatches             int64 // of changes that are not added up yet
	OldestBatch             int64 // the number of the first of them: it goes up by one with each that is
}

// asking is how long the metrics wait for the database.
const asking = 2 * time.Second

// Observe shows the state of the pool and of the read models among the metrics.
// Both are asked for whenever the metrics are read.
func (t *Telemetry) Observe(pool func() Pool, models func(ctx context.Context) (ReadModels, error)) {
	if t.metrics != nil {
		t.metrics.registry.MustRegister(&poolGauges{pool}, &modelGauges{models})
	}
}

func described(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("kontor_"+name, help, labels, nil)
}

var (
	poolConnections = described("pool_connections", "Connections to the database, by what they are doing.", "state")
	poolMax         = described("pool_max_connections", "How many connections to the database there may be.")
	poolAcquires    = described("pool_acquires_total", "How often a connection was taken from the pool.")
	poolWaits       = described("pool_waits_total", "How often none was free and the taker had to wait.")
	poolWaited      = described("pool_wait_seconds_total", "How long takers have waited for a connection, all in all.")

	databaseUp  = described("database_up", "Whether the database has answered when these metrics were read.")
	modelsReady = described("readmodel_ready", "Whether lists are read from models (1), or from the records, which is slower (0).", "model")
	modelsOpen  = described("readmodel_open_batches", "Batches of changes that are not added up yet. More than two for long: nobody adds up.")
	modelsFolds = described("readmodel_folds_total", "Batches of changes that were added up, by any process on this database.")
)

// poolGauges shows the state of the pool.
type poolGauges struct{ state func() Pool }

func (g *poolGauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolConnections, poolMax, poolAcquires, poolWaits, poolWaited} {
		to <- d
	}
}

func (g *poolGauges) Collect(to chan<- prometheus.Metric) {
	s := g.state()
	to <- gauge(poolConnections, float64(s.Acquired), "acquired")
	to <- gauge(poolConnections, float64(s.Idle), "idle")
	to <- gauge(poolMax, float64(s.Max))
	to <- counter(poolAcquires, float64(s.Acquires))
	to <- counter(poolWaits, float64(s.Waits))
	to <- counter(poolWaited, s.Waited.Seconds())
}

// modelGauges shows the state of the read models; nothing but that it is not
// known, if the database does not answer.
type modelGauges struct {
	state func(ctx context.Context) (ReadModels, error)
}

func (g *modelGauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{databaseUp, modelsReady, modelsOpen, modelsFolds} {
		to <- d
	}
}

func (g *modelGauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	s, err := g.state(ctx)
	if err != nil {
		to <- gauge(databaseUp, 0)
		return
	}
	to <- gauge(databaseUp, 1)
	to <- gauge(modelsReady, oneIf[s.ListsReady], "lists")
	to <- gauge(modelsReady, oneIf[s.SearchReady], "search")
	to <- gauge(modelsOpen, float64(s.OpenBatches))
	to <- counter(modelsFolds, float64(s.OldestBatch-1))
}

var oneIf = map[bool]float64{true: 1}

func gauge(d *prometheus.Desc, value float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
}

func counter(d *prometheus.Desc, value float64) prometheus.Metric {
	return prometheus.MustNewConstMetric(d, prometheus.CounterValue, value)
}
