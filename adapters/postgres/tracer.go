package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/ports"
)

// Spans traces statements.
type Spans interface {
	pgx.QueryTracer
	pgx.BatchTracer
}

// tracer counts and times the statements of requests, and has them traced. Statements of
// background jobs are ignored.
type tracer struct{ spans Spans } // nil: no traces

var _ Spans = tracer{}

func (t tracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r := ports.ObservationFrom(ctx)
	if r == nil {
		return ctx
	}
	r.RecordSent(1, time.Now())
	if t.spans == nil {
		return ctx
	}
	return t.spans.TraceQueryStart(ctx, conn, data)
}

// TraceQueryEnd is called when all rows of the statement have been read.
func (t tracer) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	r := ports.ObservationFrom(ctx)
	if r == nil {
		return
	}
	r.RecordDone(time.Now())
	if t.spans != nil {
		data.Err = withoutText(data.Err)
		t.spans.TraceQueryEnd(ctx, conn, data)
	}
}

func (t tracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	r := ports.ObservationFrom(ctx)
	if r == nil {
		return ctx
	}
	r.RecordSent(data.Batch.Len(), time.Now())
	if t.spans == nil {
		return ctx
	}
	return t.spans.TraceBatchStart(ctx, conn, data)
}

// TraceBatchQuery is called when the result of a statement of the batch has been read.
func (t tracer) TraceBatchQuery(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchQueryData) {
	if t.spans != nil && ports.ObservationFrom(ctx) != nil {
		data.Err = withoutText(data.Err)
		t.spans.TraceBatchQuery(ctx, conn, data)
	}
}

// TraceBatchEnd is called when all results of the batch have been read.
func (t tracer) TraceBatchEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchEndData) {
	r := ports.ObservationFrom(ctx)
	if r == nil {
		return
	}
	r.RecordDone(time.Now())
	if t.spans != nil {
		data.Err = withoutText(data.Err)
		t.spans.TraceBatchEnd(ctx, conn, data)
	}
}

var errConnection = errors.New("connection failed")

// withoutText returns what kind of error err is. Its text is left out of traces: it may
// contain values of a record.
func withoutText(err error) error {
	if err == nil {
		return nil
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &pgconn.PgError{Severity: pg.Severity, Code: pg.Code}
	}
	for _, end := range []error{context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, end) {
			return end
		}
	}
	return errConnection
}
