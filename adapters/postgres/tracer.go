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

// tracer counts and times the statements of requests. Statements of background jobs are
// ignored.
type tracer struct {
	observer observe.Statements // nil: none
	database string
}

var _ interface {
	pgx.QueryTracer
	pgx.BatchTracer
} = tracer{}

func (t tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r := observe.From(ctx)
	if r == nil {
		return ctx
	}
	r.RecordSent(1, time.Now())
	if t.observer == nil {
		return ctx
	}
	return t.observer.Begin(ctx, observe.Statement{Text: textBefore(ctx, data.SQL), Database: t.database})
}

// textBefore is the statement as the readers and stores have it.
func textBefore(ctx context.Context, sql string) string {
	if r, ok := ctx.Value(unqualifiedKey{}).(replaced); ok && r.text == sql {
		return r.original
	}
	return unqualified(sql)
}

// TraceQueryEnd is called when all its rows have been read.
func (t tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	t.end(ctx, data.CommandTag.RowsAffected(), data.Err)
}

func (t tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	r := observe.From(ctx)
	if r == nil {
		return ctx
	}
	r.RecordSent(data.Batch.Len(), time.Now())
	if t.observer == nil {
		return ctx
	}
	return t.observer.Begin(ctx, observe.Statement{
		Text: textOf(data.Batch), Batch: data.Batch.Len(), Database: t.database,
	})
}

// TraceBatchQuery is called for each statement of a batch, which is observed as one.
func (t tracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd is called when all results of a batch have been read.
func (t tracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	t.end(ctx, 0, data.Err)
}

func (t tracer) end(ctx context.Context, rows int64, err error) {
	r := observe.From(ctx)
	if r == nil {
		return
	}
	r.RecordDone(time.Now())
	if t.observer != nil {
		t.observer.End(ctx, observe.Outcome{Rows: rows, Failure: failureOf(err)})
	}
}

func textOf(b *pgx.Batch) string {
	var text strings.Builder
	for i, q := range b.QueuedQueries {
		if i > 0 {
			text.WriteString(";\n")
		}
		text.WriteString(strings.TrimSpace(unqualified(q.SQL)))
	}
	return text.String()
}

// failureOf returns the SQLSTATE of an error. The text of the error is left out: it may
// contain values of a record.
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
