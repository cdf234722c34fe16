package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/kontor-crm/kontor/ports/observe"
)

// Begin starts the span of a request, in the trace that its headers name. Health
// checks have no span.
func (t *traces) Begin(ctx context.Context, headers map[string][]string, r *observe.Request) context.Context {
	if r.IsPoll {
		return ctx
	}
	method, name := methodOf(r)
	attributes := append(make([]attribute.KeyValue, 0, 4),
		method, semconv.URLPath(r.Path), semconv.URLScheme(r.Scheme))
	if r.Route != observe.Unmatched {
		name += " " + r.Route
		attributes = append(attributes, semconv.HTTPRoute(r.Route))
	}
	ctx = t.context.Extract(ctx, propagation.HeaderCarrier(headers))
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
	r.TraceID = span.SpanContext().TraceID().String()
	return ctx
}

// methodOf returns the method as an attribute and as part of the name of a span.
func methodOf(r *observe.Request) (attribute.KeyValue, string) {
	if r.Method == observe.OtherMethod {
		return semconv.HTTPRequestMethodOther, "HTTP"
	}
	return semconv.HTTPRequestMethodKey.String(r.Method), r.Method
}

func (t *traces) End(ctx context.Context, r *observe.Request) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(
		semconv.HTTPResponseStatusCode(r.Status),
		semconv.HTTPResponseBodySize(r.Bytes),
		attribute.String("kontor.request_id", r.ID),
		attribute.Int("kontor.rows", r.Rows))
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
	if r.Status >= http.StatusInternalServerError {
		// The log has the cause, under the trace id.
		span.SetStatus(codes.Error, "")
		span.SetAttributes(semconv.ErrorTypeKey.String(strconv.Itoa(r.Status)))
	}
	span.End()
}

type statements struct{ tracer trace.Tracer }

// maxText is the largest number of bytes of a statement that a span shows.
const maxText = 4096

// Begin starts the span of a statement, a child of the request's.
func (s statements) Begin(ctx context.Context, st observe.Statement) context.Context {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx
	}
	operation := operationOf(st)
	attributes := append(make([]attribute.KeyValue, 0, 5),
		semconv.DBSystemNamePostgreSQL,
		semconv.DBNamespace(st.Database),
		semconv.DBOperationName(operation),
		semconv.DBQueryText(truncate(st.Text)))
	if st.Batch > 1 {
		attributes = append(attributes, semconv.DBOperationBatchSize(st.Batch))
	}
	ctx, _ = s.tracer.Start(ctx, operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	return ctx
}

func (s statements) End(ctx context.Context, o observe.Outcome) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	if o.Rows > 0 {
		span.SetAttributes(semconv.DBResponseReturnedRows(int(o.Rows)))
	}
	if o.Failure != "" {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(semconv.ErrorTypeKey.String(o.Failure), semconv.DBResponseStatusCode(o.Failure))
	}
	span.End()
}

func operationOf(st observe.Statement) string {
	word := strings.TrimLeft(st.Text, " \t\n(")
	if end := strings.IndexAny(word, " \t\n("); end >= 0 {
		word = word[:end]
	}
	word = strings.ToUpper(word)
	if st.Batch > 1 {
		return "BATCH " + word
	}
	return word
}

func truncate(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + " …"
}
