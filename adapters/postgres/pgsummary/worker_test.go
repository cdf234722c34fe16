package pgsummary_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func TestWorkerRebuildsWhatIsNotReady(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(8).Steps(50)
	c.Execute("update read_model_state set is_ready = false", "delete from client_totals", "delete from client_search")
	var log logged
	stop := c.runWorker(&log)
	c.becomes("ready read models", func() int64 {
		return c.Number("select count(*) from read_model_state where is_ready")
	}, 1)
	c.becomes("logged rebuilds", func() int64 { return int64(strings.Count(log.String(), "read models rebuilt")) }, 1)
	stop()
	c.Agrees("rebuilt")
}

// countQueries is a tracer that counts the queries.
type countQueries struct{ *atomic.Int64 }

func (q countQueries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	q.Add(1)
	return ctx
}

func (countQueries) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func TestWorkerLogsAnErrorOnceAndRecovers(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Execute("alter table read_model_state rename to hidden")
	var log logged
	var tries atomic.Int64
	failing := c
	config := c.Pool.Config()
	config.ConnConfig.Tracer = countQueries{&tries}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	failing.Pool = pool
	stop := failing.runWorker(&log)
	defer stop()
	failures := func() int64 { return int64(strings.Count(log.String(), "read model worker failed")) }
	c.becomes("logged failures", failures, 1)
	before := tries.Load()
	c.becomes("a further try", func() int64 { return min(tries.Load(), before+2) }, before+2)
	if n := failures(); n != 1 {
		t.Errorf("the worker logs %d failures, want the first:\n%s", n, &log)
	}
	c.Execute("alter table hidden rename to read_model_state")
	c.becomes("open changes", c.openChanges, 0)
	c.Agrees("when the worker has recovered")
	if !strings.Contains(log.String(), "read model worker recovered") {
		t.Errorf("the worker does not log that it has recovered:\n%s", &log)
	}
}
