package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/ports"
)

// Settings are the settings besides the OTEL_ variables.
type Settings struct {
	Counts  bool // collect metrics
	Version string
	Commit  string
	Go      string
}

// Telemetry observes a service.
type Telemetry struct {
	metrics *metrics // nil: no metrics
	traces  *traces  // nil: no traces
}

// New returns the metrics and traces that the settings and the environment enable.
// closeAll sends the pending spans, for a few seconds at most.
func New(ctx context.Context, s Settings, log *slog.Logger) (t *Telemetry, closeAll func(), err error) {
	t = &Telemetry{}
	if s.Counts {
		t.metrics = newMetrics(s)
	}
	if t.traces, err = newTraces(ctx, s.Version, log); err != nil {
		return nil, nil, err
	}
	return t, func() {
		if t.traces != nil {
			t.traces.close(log)
		}
	}, nil
}

// closeTimeout is how long sending the last spans may take.
const closeTimeout = 5 * time.Second

// CountCreations adds a counter of the records created at each of the paths, such as
// /rest/client. It is called once, before the first request.
func (t *Telemetry) CountCreations(paths []string) {
	if t.metrics != nil {
		t.metrics.countCreations(paths)
	}
}

// Requests returns the observer of requests; nil if there is none.
func (t *Telemetry) Requests() ports.Observer {
	if t.metrics == nil && t.traces == nil {
		return nil
	}
	return t
}

// Begin implements ports.Observer.
func (t *Telemetry) Begin(ctx context.Context, r *ports.Observation) {
	if t.metrics != nil {
		t.metrics.inFlight.Inc()
	}
	if t.traces != nil {
		identify(ctx, r)
	}
}

// End implements ports.Observer.
func (t *Telemetry) End(ctx context.Context, r *ports.Observation) {
	if t.metrics != nil {
		t.metrics.end(r)
	}
	if t.traces != nil {
		describe(ctx, r)
	}
}

// Rules returns the observer of verdicts; nil if there is none.
func (t *Telemetry) Rules() rule.Observer {
	if t.metrics == nil {
		return nil
	}
	return &t.metrics.rules
}
