package pgsummary_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestWorkerCleansPendingListsOfSearchIndexes(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "the indexes are on the worker, where autovacuum cleans them")
	c := newCompany(t)
	c.Execute("create extension pgstattuple")
	pending := func() int64 { return c.Number("select pending_tuples from pgstatginindex('invoice_search_by_text')") }
	c.issue(1)
	if pending() == 0 {
		t.Fatal("the database cleans the pending list without the worker")
	}
	var log logged
	stop := c.runWorker(&log)
	defer stop()
	c.becomes("pending tuples", pending, 0)
}

func TestWorkerRebuildsWhatIsNotReady(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(8).Steps(50)
	c.Execute("update read_model_state set lists_ready = false, search_ready = false", "delete from client_totals", "delete from client_search")
	var log logged
	stop := c.runWorker(&log)
	c.becomes("ready read models", func() int64 {
		return c.Number("select count(*) from read_model_state where lists_ready and search_ready")
	}, 1)
	c.becomes("logged rebuilds", func() int64 { return int64(strings.Count(log.String(), "read models rebuilt")) }, 2)
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
	failing.Pool = c.tracedPool(countQueries{&tries})
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
