package pgsummary_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

type company struct{ workload.Company }

// newCompany is a company on a database of its own.
func newCompany(t *testing.T) company {
	t.Helper()
	return company{workload.NewCompany(t)}
}

// openChanges is the number of changes that are not folded.
func (c company) openChanges() int64 {
	c.T.Helper()
	var counts []string
	for _, l := range listdef.All {
		counts = append(counts, "(select count(*) from "+l.Changes+" where batch_id >= oldest_open_batch)")
	}
	return c.Number("select " + strings.Join(counts, " + ") + " from read_model_state")
}

func (c company) oldestOpenBatch() int64 {
	c.T.Helper()
	return c.Number("select oldest_open_batch from read_model_state")
}

// begin runs the statements in a transaction, which ends with end.
func (c company) begin(statements ...string) (end func()) {
	c.T.Helper()
	tx, err := c.Pool.Begin(c.T.Context())
	if err != nil {
		c.T.Fatal(err)
	}
	end = func() { _ = tx.Commit(context.WithoutCancel(c.T.Context())) }
	c.T.Cleanup(end)
	for _, sql := range statements {
		if _, err := tx.Exec(c.T.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			c.T.Fatal(err)
		}
	}
	return end
}

// holdBatch is a transaction that holds the newest batch, as one that has written does.
func (c company) holdBatch() (end func()) {
	c.T.Helper()
	return c.begin("select id from change_batches order by id desc limit 1 for key share")
}

// becomes waits until the value is the one that is wanted.
func (c company) becomes(what string, value func() int64, want int64) {
	c.T.Helper()
	for end := time.Now().Add(15 * time.Second); value() != want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			c.T.Fatalf("%s: %d, want %d", what, value(), want)
		}
	}
}

// logged is a log that can be read while it is written.
type logged struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// runWorker maintains the read models, as a service does, until stop is called, which returns how long that took.
func (c company) runWorker(log *logged) (stop func() time.Duration) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.T.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		const pause = 500 * time.Millisecond
		events := slog.New(slog.NewTextHandler(log, nil))
		for ctx.Err() == nil {
			if _, err := pgsummary.Maintain(ctx, c.Pool, events, pause); err != nil && ctx.Err() == nil {
				events.Error("maintaining failed", "error", err.Error())
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	}()
	return func() time.Duration {
		started := time.Now()
		cancel()
		<-ended
		return time.Since(started)
	}
}
