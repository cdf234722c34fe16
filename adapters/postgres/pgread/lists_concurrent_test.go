package pgread_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	rest  = 10 * time.Millisecond // pause of a writer, for the readers
	wrong = 50 * time.Millisecond // how long corrupted models are read

	// The minimum of a test, however long it takes: writes, batches folded, rebuilds, one
	// for each way to corrupt models, and lists read by each reader.
	minWrites  = 100
	minBatches = 3
	minTurns   = 3
	minReads   = 20
)

// contract 4.43, 9.26
func TestListsAreExactWhileWritersWriteAndBatchesFold(t *testing.T) {
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
				c.splitPageIndex()
			}
			jobs++
		}, func(over <-chan struct{}, seed uint64) int64 { return c.checkSnapshots(over, seed, c.sameReaders) })
	})
	t.Logf("%d writes, %d batches folded, %d lists read", written, folded(), read)
	c.checkAtRest()
}

// contract 4.43, 9.26
func TestListsAreExactWhileReadModelsAreRebuilt(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.fill()
	var read, rebuilt int64
	written := c.Write(4, rest, func(written func() int64) {
		read = c.readUntil(func() bool { return written() >= minWrites && rebuilt >= minTurns }, func() {
			c.corrupt(int(rebuilt))
			time.Sleep(wrong)
			c.Fold()
			c.Rebuild()
			c.splitPageIndex()
			c.Fold()
			rebuilt++
		}, func(over <-chan struct{}, seed uint64) int64 {
			// A reader that has found models not ready does not use them for a while:
			// only new readers see every change.
			return c.checkSnapshots(over, seed, c.someNewReaders)
		})
	})
	t.Logf("%d writes, %d rebuilds, %d lists read", written, rebuilt, read)
	c.checkAtRest()
}

// corrupt marks models as not ready and makes them wrong.
func (c company) corrupt(turn int) {
	c.T.Helper()
	lists := []string{
		"update read_model_state set lists_ready = false",
		"delete from client_totals", "update deal_totals set record_count = record_count + 1", "update invoice_totals set record_count = 2 * record_count + 1, line_count = 0",
		"update client_counts set deals = deals + 1, invoices = 0", "update page_index set record_count = record_count + 3",
	}
	search := []string{
		"update read_model_state set search_ready = false",
		"delete from client_search where id % 3 = 0", "update deal_search set text_key = 'nirgends'",
		"delete from offer_search", "insert into contract_search (id, text_key) values (1 << 30, 'nord')",
		"update invoice_search set text_key = text_key || ' süd' where id % 2 = 0",
	}
	switch turn % 3 {
	case 0:
		c.Execute(search...)
	case 1:
		c.Execute(append(lists, search...)...)
	default:
		c.Execute(lists...)
	}
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

// sameReaders keeps the readers, and someNewReaders replaces them at times by ones
// with empty caches.
func (c company) sameReaders(checks []checker, _ *rand.Rand, _ *snapshots) []checker { return checks }

func (c company) someNewReaders(checks []checker, chance *rand.Rand, through *snapshots) []checker {
	if chance.IntN(2) == 0 {
		return c.listChecks(through)
	}
	return checks
}

// checkSnapshots compares lists with the records, in one snapshot after the other, and
// returns the number of lists.
func (c company) checkSnapshots(over <-chan struct{}, seed uint64, choose func([]checker, *rand.Rand, *snapshots) []checker) (read int64) {
	var through snapshots
	chance := rand.New(rand.NewPCG(seed, 77))
	checks := c.listChecks(&through)
	conn, err := c.Pool.Acquire(c.T.Context()) // which prepares more and more of the statements
	if err != nil {
		c.T.Error(err)
		return 0
	}
	defer conn.Release()
	for !c.T.Failed() {
		select {
		case <-over:
			if read >= minReads {
				return read
			}
		default:
		}
		checks = choose(checks, chance, &through)
		err := within(c.T.Context(), conn, func(ctx context.Context, tx pgx.Tx) error {
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
func within(ctx context.Context, conn *pgxpool.Conn, do func(ctx context.Context, tx pgx.Tx) error) error {
	ctx = context.WithoutCancel(ctx)
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
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
	c.splitPageIndex()
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
