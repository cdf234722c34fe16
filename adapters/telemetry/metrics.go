package telemetry

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/kontor-crm/kontor/ports"
)

// latencyBuckets are the bounds of the histogram, in seconds: from the time of
// reading one record to the request timeout.
var latencyBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

type metrics struct {
	registry *prometheus.Registry

	inFlight prometheus.Gauge
	limited  prometheus.Counter
	rejected prometheus.Counter
	created  map[string]prometheus.Counter // by the route of the POST; read-only

	requests   *prometheus.CounterVec
	latency    *prometheus.HistogramVec
	bytes      *prometheus.CounterVec
	statements *prometheus.CounterVec
	database   *prometheus.CounterVec

	meters sync.Map // *meter by outcome

	rules ruleMetrics
}

// outcome is a method of a route, and the status of a response. All have few values: unknown
// methods are one value, and so are unknown routes.
type outcome struct {
	method, route string
	status        int
}

// meter has the metrics of one outcome, looked up once.
type meter struct {
	requests   prometheus.Counter
	latency    prometheus.Observer
	bytes      prometheus.Counter
	statements prometheus.Counter
	database   prometheus.Counter
}

func newMetrics(s Settings) *metrics {
	labels := []string{"method", "route"}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "kontor_http_requests_in_flight", Help: "Requests in flight.",
		}),
		limited: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "kontor_rate_limited_total", Help: "Requests rejected with 429: rate limit, wrong tokens, or share of the caller.",
		}),
		rejected: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "kontor_tokens_rejected_total", Help: "Requests rejected with 401, without a valid token.",
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kontor_http_requests_total", Help: "Completed requests, by status. 499 is a request whose caller had gone.",
		}, append(labels, "status")),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "kontor_http_request_duration_seconds", Help: "Time until the response was handed over.", Buckets: latencyBuckets,
		}, labels),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kontor_http_response_bytes_total", Help: "Bytes of response bodies.",
		}, labels),
		statements: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kontor_database_statements_total", Help: "Statements sent to the database for requests, each one of a batch counted.",
		}, labels),
		database: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kontor_database_seconds_total", Help: "Time during which requests had statements running in the database.",
		}, labels),
	}
	m.rules = newRuleMetrics()
	m.registry.MustRegister(m.inFlight, m.limited, m.rejected, m.requests, m.latency, m.bytes, m.statements, m.database,
		buildInfo(s), m.rules.verdicts, m.rules.seconds,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// countCreations counts the records created at the paths. A response is sent after the
// commit, so each successful POST and each 201 is a record; a replayed response is none.
func (m *metrics) countCreations(paths []string) {
	all := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "kontor_records_created_total", Help: "Records created by requests, counted after the commit.",
	}, []string{"resource"})
	m.created = map[string]prometheus.Counter{}
	for _, path := range paths {
		m.created[path] = all.WithLabelValues(strings.TrimPrefix(path, "/rest/"))
	}
	m.registry.MustRegister(all)
}

// buildInfo is always 1; its labels name the running version.
func buildInfo(s Settings) prometheus.Collector {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "kontor_build_info", Help: "Always 1; the labels name the version of the program.",
		ConstLabels: prometheus.Labels{"version": s.Version, "commit": s.Commit, "go": s.Go},
	})
	info.Set(1)
	return info
}

func (m *metrics) end(r *ports.Observation) {
	m.inFlight.Dec()
	o := m.meter(outcome{r.Method, r.Route, r.Status})
	o.requests.Inc()
	o.latency.Observe(r.Took.Seconds())
	o.bytes.Add(float64(r.Bytes))
	if r.Queries > 0 {
		o.statements.Add(float64(r.Queries))
		o.database.Add(r.Database.Seconds())
	}
	switch r.Status {
	case http.StatusUnauthorized:
		m.rejected.Inc()
	case http.StatusTooManyRequests:
		m.limited.Inc()
	}
	isCreation := r.Method == http.MethodPost && r.Status < 300 || r.Status == http.StatusCreated
	if isCreation && !r.Replayed && !r.DryRun {
		if created, ok := m.created[r.Route]; ok {
			created.Inc()
		}
	}
}

func (m *metrics) meter(key outcome) *meter {
	if known, ok := m.meters.Load(key); ok {
		return known.(*meter)
	}
	known, _ := m.meters.LoadOrStore(key, &meter{
		requests:   m.requests.WithLabelValues(key.method, key.route, strconv.Itoa(key.status)),
		latency:    m.latency.WithLabelValues(key.method, key.route),
		bytes:      m.bytes.WithLabelValues(key.method, key.route),
		statements: m.statements.WithLabelValues(key.method, key.route),
		database:   m.database.WithLabelValues(key.method, key.route),
	})
	return known.(*meter)
}
