package telemetry

import (
	"context"
	"net/http"
	"strconv"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/kontor-crm/kontor/ports"
)

// Handler returns service, with a span for each request, in the trace that its headers name.
// Health checks have no span.
func (t *Telemetry) Handler(service http.Handler) http.Handler {
	if t.traces == nil {
		return service
	}
	traced := otelhttp.NewHandler(service, "",
		otelhttp.WithTracerProvider(t.traces.provider),
		otelhttp.WithPropagators(propagation.TraceContext{}),
		otelhttp.WithFilter(func(r *http.Request) bool { return r.URL.Path != "/healthz" && r.URL.Path != "/readyz" }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("User-Agent") // it could contain a token
		traced.ServeHTTP(w, r)
	})
}

// Provider returns the provider of tracers; nil if there are no traces.
func (t *Telemetry) Provider() trace.TracerProvider {
	if t.traces == nil {
		return nil
	}
	return t.traces.provider
}

// identify notes the trace of the request.
func identify(ctx context.Context, r *ports.Observation) {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		r.TraceID = span.TraceID().String()
	}
}

// describe adds to the span of the request what only the service knows. The path replaces the
// requested one, which may contain a token.
func describe(ctx context.Context, r *ports.Observation) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(semconv.URLPath(r.Path), attribute.String("kontor.request_id", r.ID), attribute.Int("kontor.rows", r.Rows))
	if r.Route != ports.UnmatchedRoute {
		span.SetName(r.Method + " " + r.Route)
		span.SetAttributes(semconv.HTTPRoute(r.Route))
	}
	if r.Company != "" {
		span.SetAttributes(attribute.String("kontor.company", r.Company))
	}
	if r.UserID != 0 {
		span.SetAttributes(semconv.UserID(strconv.FormatInt(r.UserID, 10)))
	}
	if len(r.Rules) > 0 {
		span.SetAttributes(attribute.StringSlice("kontor.rules", r.Rules))
	}
	if len(r.Reactions) > 0 {
		span.SetAttributes(attribute.StringSlice("kontor.reactions", r.Reactions))
	}
}
