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
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

type traces struct{ provider *sdk.TracerProvider }

// newTraces creates what the OTEL_ variables ask for; nil if they ask for nothing.
// The libraries read the variables themselves, except those that turn tracing on
// or off.
func newTraces(ctx context.Context, version string, log *slog.Logger) (*traces, error) {
	if !isEnabled(log) {
		return nil, nil
	}
	logErrors(log)
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
	return &traces{provider}, nil
}

// isEnabled reports whether the environment asks for traces. Unsupported values
// are logged, and do not prevent serving: the variables are often set for all
// services of a machine at once.
func isEnabled(log *slog.Logger) bool {
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
			log.Warn("unsupported protocol: traces are sent as http/protobuf", "variable", name, "is", protocol)
		}
	}
	return true
}

// logInterval is the shortest time between two log events about failures to send.
const logInterval = time.Minute

// logErrors has the libraries write to the service's log. Failures to send are
// logged once a minute, although sending is tried every few seconds.
func logErrors(log *slog.Logger) {
	otel.SetLogger(logr.FromSlogHandler(log.Handler()))
	var again atomic.Int64
	begun := time.Now()
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		now := int64(time.Since(begun)) // monotonic: independent of changes of the clock
		next := again.Load()
		if now >= next && again.CompareAndSwap(next, now+int64(logInterval)) {
			log.Warn("traces are not sent", "error", err.Error())
		}
	}))
}

func (t *traces) close(log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
		log.Warn("the last traces were not sent", "error", err.Error())
	}
}
