package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/ports/observe"
)

// tracer counts and times the statements of requests. What is done in the
// background belongs to none, and is left out.
type tracer struct {
	told     observe.Statements // nil: nobody
	database string
}

var _ interface {
	pgx.QueryTracer
	pgx.BatchTracer
} = tracer{}

// TraceQueryStart is called before a statement is sent.
func (t tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r := observe.From(ctx)
	if r == nil {
		return ctx
	}
	r.Sent(1, time.Now())
	if t.told == nil {
		return ctx
	}
	return t.told.Begin(ctx, observe.Statement{Text: data.SQL, Database: t.database})
}

// TraceQueryEnd is called when all its rows have been read.
func (t tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	t.end(ctx, data.CommandTag.RowsAffected(), data.Err)
}

// TraceBatchStart is called before a batch is sent.
func (t tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	r := observe.From(ctx)
	if r == nil {
		return ctx
	}
	r.Sent(data.Batch.Len(), time.Now())
	if t.told == nil {
		return ctx
	}
	return t.told.Begin(ctx, observe.Statement{
		Text: textOf(data.Batch), Batch: data.Batch.Len(), Database: t.database,
	})
}

// TraceBatchQuery is called for each statement of a batch, which is told as one.
func (t tracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd is called when all answers of a batch have been read.
func (t tracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	t.end(ctx, 0, data.Err)
}

func (t tracer) end(ctx context.Context, rows int64, err error) {
	r := observe.From(ctx)
	if r == nil {
		return
	}
	r.Answered(time.Now())
	if t.told != nil {
		t.told.End(ctx, observe.Outcome{Rows: rows, Failure: failureOf(err)})
	}
}

// textOf is the statements of a batch.
func textOf(b *pgx.Batch) string {
	var text strings.Builder
	for i, q := range b.QueuedQueries {
		if i > 0 {
			text.WriteString(";\n")
		}
		text.WriteString(strings.TrimSpace(q.SQL))
	}
	return text.String()
}

// failureOf is the SQLSTATE of an error. What the error says stays here: it may
// have values of a record in it.
func failureOf(err error) string {
	if err == nil {
		return ""
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "connection"
}
