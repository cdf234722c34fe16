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
	duration = 6 * time.Second       // how long writers write
	rest     = 10 * time.Millisecond // what they leave of the processor to the readers

	// What a trial has at least, however long it takes: the job beside the writers
	// once for each way to corrupt models, and lists read by each reader.
	minTurns = 3
	minReads = 20
)

// contract 4.43, 9.26
func TestListsAreExactWhileWritersWriteAndBatchesFold(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.fill()
	first := c.Number("select oldest_open_batch from read_model_state")
	var read int64
	written := c.Write(8, rest, func(func() int64) {
		jobs := 0
		read = c.beside(func() {
			if c.Fold(); jobs%8 == 0 {
				c.cut()
			}
			jobs++
		}, func(over <-chan struct{}, seed uint64) int64 { return c.watch(over, seed, c.keeping) })
	})
	folded := c.Number("select oldest_open_batch from read_model_state") - first
	t.Logf("%d writes, %d batches folded, %d lists read", written, folded, read)
	if !t.Failed() && (written < 100 || folded < 3 || read < 2*minReads) {
		t.Errorf("%d writes, %d batches folded and %d lists read show little", written, folded, read)
	}
	c.settles()
}

// contract 4.43, 9.26
func TestListsAreExactWhileReadModelsAreRebuilt(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.fill()
	var read, rebuilt int64
	written := c.Write(8, rest, func(func() int64) {
		read = c.beside(func() {
			c.corrupt(int(rebuilt))
			time.Sleep(duration / 20) // so that they are read like this, too
			c.Fold()
			c.Rebuild()
			c.cut()
			c.Fold()
			rebuilt++
		}, func(over <-chan struct{}, seed uint64) int64 {
			// A reader that has met models which are not ready does without them for a
			// while: only new ones see all of the change.
			return c.watch(over, seed, c.forgetting)
		})
	})
	t.Logf("%d writes, %d rebuilds, %d lists read", written, rebuilt, read)
	if !t.Failed() && (written < 100 || rebuilt < minTurns || read < 2*minReads) {
		t.Errorf("%d writes, %d rebuilds and %d lists read show little", written, rebuilt, read)
	}
	c.settles()
}

// corrupt says that models are not ready, and makes them as wrong as they may be
// then.
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

// beside has one job done again and again, and two readers read, until the time
// is over and there was something to see; it returns how many lists these have
// read.
func (c company) beside(job func(), watch func(over <-chan struct{}, seed uint64) int64) int64 {
	until := time.Now().Add(duration)
	over := make(chan struct{})
	var all sync.WaitGroup
	var read atomic.Int64
	for seed := range uint64(2) {
		all.Go(func() { read.Add(watch(over, seed)) })
	}
	for n := 0; (n < minTurns || time.Now().Before(until)) && !c.T.Failed(); n++ {
		job()
	}
	close(over)
	all.Wait()
	return read.Load()
}

// keeping has the same readers read all the time, forgetting has new ones at
// times.
func (c company) keeping(books []checker, _ *rand.Rand, _ *window) []checker { return books }

func (c company) forgetting(books []checker, chance *rand.Rand, through *window) []checker {
	if chance.IntN(2) == 0 {
		return c.books(through)
	}
	return books
}

// watch holds lists against the records, in one snapshot after the other, and
// returns how many.
func (c company) watch(over <-chan struct{}, seed uint64, choose func([]checker, *rand.Rand, *window) []checker) (read int64) {
	var through window
	chance := rand.New(rand.NewPCG(seed, 77))
	books := c.books(&through)
	conn, err := c.Pool.Acquire(c.T.Context()) // which knows more and more of the statements
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
		books = choose(books, chance, &through)
		err := within(c.T.Context(), conn, func(ctx context.Context, tx pgx.Tx) error {
			through.Querier = tx
			for _, b := range books {
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

// within does something in a snapshot.
func within(ctx context.Context, conn *pgxpool.Conn, do func(ctx context.Context, tx pgx.Tx) error) error {
	ctx = context.WithoutCancel(ctx)
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	return do(ctx, tx)
}

// settles folds what is left and holds everything against the records once more,
// now that nobody writes.
func (c company) settles() {
	c.T.Helper()
	c.Fold()
	c.Agrees("at rest")
	c.cut()
	c.Writer(31).Steps(20) // which are not folded
	chance := rand.New(rand.NewPCG(30, 7))
	for _, b := range c.books(c.Pool) {
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
