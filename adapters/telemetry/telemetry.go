package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/kontor-crm/kontor/ports/observe"
)

// Settings say what is watched, beside what the OTEL_ variables say.
type Settings struct {
	Counts  bool // metrics are counted
	Version string
	Commit  string
	Go      string
}

// Telemetry is what watches a service.
type Telemetry struct {
	metrics *metrics // nil: nothing is counted
	traces  *traces  // nil: nothing is traced
}

// New makes what the settings and the environment ask for. close sends what has
// not been sent yet, for a few seconds at most.
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

// closing is how long the last spans may take to be sent.
const closing = 5 * time.Second

// Requests is who is told of requests; nil if there is nobody.
func (t *Telemetry) Requests() observe.Requests {
	switch {
	case t.metrics != nil && t.traces != nil:
		return both{t.metrics, t.traces}
	case t.metrics != nil:
		return t.metrics
	case t.traces != nil:
		return t.traces
	}
	return nil
}

// Statements is who is told of statements; nil if there is nobody.
func (t *Telemetry) Statements() observe.Statements {
	if t.traces == nil {
		return nil
	}
	return statements{t.traces.tracer}
}

// both tells two.
type both struct{ first, second observe.Requests }

func (b both) Begin(ctx context.Context, headers map[string][]string, r *observe.Request) context.Context {
	return b.second.Begin(b.first.Begin(ctx, headers, r), headers, r)
}

func (b both) End(ctx context.Context, r *observe.Request) {
	b.first.End(ctx, r)
	b.second.End(ctx, r)
}
