package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// scope is by what a trace knows who has made a span.
const scope = "github.com/kontor-crm/kontor/adapters/telemetry"

// traces makes spans of requests and of their statements.
type traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	context  propagation.TraceContext
}

// newTraces makes what the OTEL_ variables ask for; nil if they ask for nothing.
// The libraries read the variables themselves, but for those that say whether
// there is to be anything at all.
func newTraces(ctx context.Context, version string, log *slog.Logger) (*traces, error) {
	if !isAsked(log) {
		return nil, nil
	}
	tellErrors(log)
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare to send traces: %w", err)
	}
	self, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName("kontor"), semconv.ServiceVersion(version)),
		resource.WithTelemetrySDK(),
		resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(self))
	return &traces{provider: provider, tracer: provider.Tracer(scope, trace.WithInstrumentationVersion(version))}, nil
}

// isAsked tells whether the environment asks for traces. What it asks for in vain
// is told, and is no reason not to serve: the variables are often set for all
// services of a place at once.
func isAsked(log *slog.Logger) bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	switch exporter := os.Getenv("OTEL_TRACES_EXPORTER"); exporter {
	case "none":
		return false
	case "":
		if os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
			return false
		}
	case "otlp":
	default:
		log.Warn("no traces: OTEL_TRACES_EXPORTER may be otlp or none", "is", exporter)
		return false
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := os.Getenv(name); protocol == "grpc" {
			log.Warn("traces are sent as http/protobuf, whatever this asks for", "variable", name, "is", protocol)
		}
	}
	return true
}

// quiet is how long a failure to send is not told again.
const quiet = time.Minute

// tellErrors has the libraries write to the service's log. That traces cannot be
// sent is told once a minute: they are tried every few seconds.
func tellErrors(log *slog.Logger) {
	otel.SetLogger(logr.FromSlogHandler(log.Handler()))
	var again atomic.Int64
	begun := time.Now()
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		now := int64(time.Since(begun)) // which no setting of the clock changes
		next := again.Load()
		if now >= next && again.CompareAndSwap(next, now+int64(quiet)) {
			log.Warn("traces are not sent", "error", err.Error())
		}
	}))
}

// close sends the last spans.
func (t *traces) close(log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
		log.Warn("the last traces were not sent", "error", err.Error())
	}
}
