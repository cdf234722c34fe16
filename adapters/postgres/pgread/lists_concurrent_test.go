package pgread_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

const (
	rest = 10 * time.Millisecond // pause of a writer, for the readers

	// The minimum of a test, however long it takes: writes, batches folded, and lists read by
	// each reader.
	minWrites  = 100
	minBatches = 3
	minReads   = 20
)

// contract 4.43, 4.87, 9.26
func TestListsAreExactWhileWritersWriteAndReadModelsAreFoldedAndRebuilt(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.fill()
	first := c.Number("select oldest_open_batch from read_model_state")
	folded := func() int64 { return c.Number("select oldest_open_batch from read_model_state") - first }
	var read int64
	written := c.Write(8, rest, func(written func() int64) {
		jobs := 0
		read = c.readUntil(func() bool { return written() >= minWrites && folded() >= minBatches }, func() {
			if c.Fold(); jobs%8 == 0 {
				c.Rebuild()
			}
			jobs++
		}, c.checkSnapshots)
	})
	t.Logf("%d writes, %d batches folded, %d lists read", written, folded(), read)
	c.checkAtRest()
}

// readUntil repeats the job while two readers read, for the duration and until enough is
// done, and returns the number of lists read.
func (c company) readUntil(isEnough func() bool, job func(), read func(over <-chan struct{}, seed uint64) int64) int64 {
	until := time.Now().Add(duration)
	over := make(chan struct{})
	var all sync.WaitGroup
	var lists atomic.Int64
	for seed := range uint64(2) {
		all.Go(func() { lists.Add(read(over, seed)) })
	}
	for (time.Now().Before(until) || !isEnough()) && !c.T.Failed() {
		job()
	}
	close(over)
	all.Wait()
	return lists.Load()
}

// checkSnapshots compares lists with the records, in one snapshot after the other, and
// returns the number of lists.
func (c company) checkSnapshots(over <-chan struct{}, seed uint64) (read int64) {
	var through snapshots
	chance := rand.New(rand.NewPCG(seed, 77))
	checks := c.listChecks(&through)
	db := pgtest.DB(c.T, c.URL, workload.Zone) // whose only connection in use prepares more and more of the statements
	for !c.T.Failed() {
		select {
		case <-over:
			if read >= minReads {
				return read
			}
		default:
		}
		err := within(c.T.Context(), db, func(ctx context.Context, tx pgx.Tx) error {
			through.Querier = tx
			for _, b := range checks {
				for range 2 {
					if err := b.check(ctx, tx, chance); err != nil {
						return err
					}
					read++
				}
			}
			return nil
		})
		if err != nil {
			c.T.Errorf("reader %d, behind %d lists: %v", seed, read, err)
		}
	}
	return read
}

// within runs the function in a snapshot.
func within(ctx context.Context, db *postgres.DB, do func(ctx context.Context, tx pgx.Tx) error) error {
	ctx = context.WithoutCancel(ctx)
	tx, err := db.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	return do(ctx, tx)
}

// checkAtRest folds the remaining changes and compares all lists with the records,
// without writers.
func (c company) checkAtRest() {
	c.T.Helper()
	c.Fold()
	c.Agrees("at rest")
	c.Writer(31).Steps(20) // which are not folded
	chance := rand.New(rand.NewPCG(30, 7))
	for _, b := range c.listChecks(c.Pool) {
		for range 10 {
			if err := b.check(c.T.Context(), c.Pool, chance); err != nil {
				c.T.Fatalf("at rest: %v", err)
			}
		}
		if err := b.pageThrough(c.T.Context(), c.Pool); err != nil {
			c.T.Fatalf("at rest: %v", err)
		}
	}
}
