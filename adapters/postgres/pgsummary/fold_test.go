package pgsummary_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

func TestFoldBySeveralProcessesKeepsTotalsExactWhileOthersWrite(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	var log logged
	workers := []func() time.Duration{c.runWorker(&log), c.runWorker(&log)}
	first := c.oldestOpenBatch()
	c.Write(8, 0, func(committed func() int64) {
		for c.oldestOpenBatch() < first+3 || committed() < 100 {
			c.Fold()
			if !c.Agrees("while others write") {
				return
			}
		}
	})
	c.becomes("open changes", c.openChanges, 0)
	for _, stop := range workers {
		if took := stop(); took > time.Second {
			t.Errorf("a worker took %s to stop", took)
		}
	}
	c.Agrees("at the end")
	if n := c.Number("select count(*) from change_batches"); n != 1 {
		t.Errorf("%d batches are open, want the one to write to", n)
	}
	if sum, all := c.Number("select sum(record_count) from client_totals where user_id = 0"), c.Number("select count(*) from clients"); sum != all {
		t.Errorf("everything is folded, and the totals have %d clients of %d", sum, all)
	}
	if log.String() != "" {
		t.Errorf("the workers log\n%s", &log)
	}
}

func TestFoldOpensNoBatchWhileAnotherProcessOpensOne(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	// The other process has drawn the id of its batch.
	commit := c.begin("select from read_model_state for update", "insert into change_batches default values")
	c.Writer(9).Steps(10)
	c.Fold()
	if n := c.Number("select count(*) from change_batches"); n != 1 {
		t.Errorf("%d batches exist while one is being opened, want 1", n)
	}
	commit()
	c.Fold()
	if n := c.Number("select count(*) from change_batches b, read_model_state s where b.id < s.oldest_open_batch"); n != 0 {
		t.Errorf("%d batches have become visible below those that are folded", n)
	}
	c.Agrees("when the batch is open")
}

func TestFoldStopsAtABatchThatATransactionHolds(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	end := c.holdBatch()
	first := c.oldestOpenBatch()
	for range 3 {
		c.Writer(1).Steps(10)
		c.Fold()
		c.Agrees("while a transaction holds a batch")
		c.Execute("insert into change_batches default values") // so that some lie between it and the newest
	}
	if now := c.oldestOpenBatch(); now != first || c.openChanges() == 0 {
		t.Errorf("the batches before %d are folded, and a transaction holds %d", now, first)
	}
	end()
	c.Fold()
	c.Agrees("when the transaction has ended")
	if n := c.openChanges(); n != 0 {
		t.Errorf("%d changes are not folded although no transaction holds their batch", n)
	}
}

// The writer commits while the fold has its first lock, and not yet the batch. With one
// snapshot for the whole transaction the fold would delete the changes uncounted.
func TestFoldCountsConcurrentCommitsWhateverTheDefaultIsolation(t *testing.T) { // contract 4.43
	t.Parallel()
	c := newCompany(t)
	c.Fold()
	written, commit := make(chan struct{}), make(chan struct{})
	committed := make(chan error)
	go func() {
		committed <- c.Tx.Do(t.Context(), repository.Meta{UserID: c.Office.Manager, At: fixture.At}, func(ctx context.Context, s repository.Stores) error {
			id, err := s.Clients.Add(ctx, fixture.Client(c.Office.Manager, fixture.Company()))
			if err == nil {
				_, err = s.View.Read(ctx, readmodel.Clients, int64(id), readmodel.NewSelection(readmodel.Clients, nil)) // what is read is stored before
			}
			close(written)
			<-commit
			return err
		})
	}()
	<-written
	c.Execute("insert into change_batches default values")
	db, err := postgres.Open(t.Context(), postgres.Config{
		URL: c.URL, MaxConns: 1, Zone: workload.Zone, Distributed: pgtest.IsDistributed(),
		Spans: &after{text: "from read_model_state\nfor update", then: func() {
			close(commit)
			if err := <-committed; err != nil {
				t.Error(err)
			}
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), "set default_transaction_isolation = 'repeatable read'"); err != nil {
		t.Fatal(err)
	}
	observed := context.WithValue(t.Context(), ports.ObservationKey{}, &ports.Observation{})
	if _, err := pgsummary.Fold(observed, db); err != nil {
		t.Fatal(err)
	}
	if n := c.openChanges(); n != 0 {
		t.Fatalf("%d changes are open: the fold has not met the writer", n)
	}
	c.Agrees("when the batch is folded")
}

// after calls then once, when a statement with that text has ended.
type after struct {
	text string
	then func()
}

func (a *after) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, a, strings.Contains(data.SQL, a.text))
}

func (a *after) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryEndData) {
	if matches, _ := ctx.Value(a).(bool); matches && a.then != nil {
		then := a.then
		a.then = nil
		then()
	}
}

func (a *after) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (a *after) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (a *after) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func TestFoldBlocksNoWriterAndNoOtherFold(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.begin("select from read_model_state for update") // as a process that folds
	before := c.openChanges()
	c.Writer(2).Steps(10)
	after := c.openChanges()
	if after == before {
		t.Error("nothing could be written")
	}
	if more, err := pgsummary.Fold(t.Context(), c.Pool); more || err != nil || c.openChanges() != after {
		t.Errorf("a second fold returns %v, %v and has folded %d changes; want it to leave", more, err, after-c.openChanges())
	}
}

func TestFoldWithoutChangesOpensNoBatch(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Fold()
	newest := c.oldestOpenBatch()
	c.Fold()
	if now := c.Number("select max(id) from change_batches"); now != newest {
		t.Errorf("the newest batch is %d, want still %d", now, newest)
	}
}

// contract 4.43
func TestFoldRateDoesNotDependOnTheNumberOfWorkers(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	var log logged
	const pause = 500 * time.Millisecond
	first, began := c.Number("select max(id) from change_batches"), time.Now()
	for range 10 {
		stop := c.runWorker(&log)
		t.Cleanup(func() { stop() })
	}
	c.Write(2, 5*time.Millisecond, func(func() int64) { time.Sleep(4 * pause) })
	c.becomes("open changes", c.openChanges, 0)
	opened, most := c.Number("select max(id) from change_batches")-first, int64(time.Since(began)/pause)+1
	if opened < 2 || opened > most {
		t.Errorf("10 workers opened %d batches in %s, want at most the %d of one", opened, time.Since(began), most)
	}
	c.Agrees("with ten workers")
	if log.String() != "" {
		t.Errorf("the workers log\n%s", &log)
	}
}
