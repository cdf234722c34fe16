package model_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

func TestFoldingWhileOthersWriteLosesNothing(t *testing.T) {
	t.Parallel()
	c := found(t)
	folds := 0
	written := c.Write(8, 0, func() {
		for end := time.Now().Add(3 * time.Second); folds < 3 || time.Now().Before(end); folds++ {
			c.Fold()
			if !c.Agrees("after a fold") {
				return
			}
		}
	})
	c.Fold()
	c.Agrees("at the end")
	if n := c.Number(noted); n != 0 || written < 100 {
		t.Errorf("%d writes and %d folds have left %d rows to fold", written, folds, n)
	}
	if n := c.Number("select count(*) from change_batches"); n != 1 {
		t.Errorf("%d batches are open, want the one to write to", n)
	}
	if base, all := c.Number("select sum(record_count) from client_totals where user_id = 0"), c.Number("select count(*) from clients"); base != all {
		t.Errorf("all is folded, and the totals say %d clients of %d", base, all)
	}
}

func TestFoldsAtOnceCountEachChangeOnce(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Write(4, 0, func() {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 50 {
					if _, err := pgsummary.Fold(t.Context(), c.Pool); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
	})
	c.Fold()
	c.Agrees("after four folded at once")
	if n := c.Number(noted); n != 0 {
		t.Errorf("%d rows are left to fold", n)
	}
}

func TestABatchIsOpenedByOneProcessAtATime(t *testing.T) {
	t.Parallel()
	c := found(t)
	// As a process does that is about to open a batch, and has drawn its id.
	opener, err := c.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opener.Rollback(context.WithoutCancel(t.Context())) }()
	for _, sql := range []string{"select oldest_open_batch from read_model_state for update", "insert into change_batches default values"} {
		if _, err := opener.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	c.Writer(9).Steps(10)
	c.Fold()
	if n := c.Number("select count(*) from change_batches"); n != 1 {
		t.Errorf("%d batches are there while one is being opened, want 1", n)
	}
	if err := opener.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Fold()
	if n := c.Number("select count(*) from change_batches b, read_model_state m where b.id < m.oldest_open_batch"); n != 0 {
		t.Errorf("%d batches have come to sight behind those that are folded", n)
	}
	c.Agrees("when it is open")
}

func TestABatchThatATransactionHoldsIsNotFoldedAndNothingBehindIt(t *testing.T) {
	t.Parallel()
	c := found(t)
	end := c.held()
	first := c.Number("select oldest_open_batch from read_model_state")
	for range 3 {
		c.Writer(1).Steps(10)
		c.Fold()
		c.Agrees("while a transaction holds a batch")
		c.Execute("insert into change_batches default values") // so that some lie between it and the newest
	}
	if now := c.Number("select oldest_open_batch from read_model_state"); now != first {
		t.Errorf("the batches before %d are folded, and a transaction holds %d", now, first)
	}
	if n := c.Number(noted); n == 0 {
		t.Error("nothing is left to fold")
	}
	end()
	c.Fold()
	c.Agrees("when the transaction has ended")
	if n := c.Number(noted); n != 0 {
		t.Errorf("%d rows are left to fold although nobody holds them", n)
	}
}

func TestAFoldDoesNotHoldUpWriters(t *testing.T) {
	t.Parallel()
	c := found(t)
	other, err := c.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Rollback(context.WithoutCancel(t.Context())) }()
	// As a fold in its midst does.
	if _, err := other.Exec(t.Context(), "select oldest_open_batch from read_model_state for update"); err != nil {
		t.Fatal(err)
	}
	before := c.Number(noted)
	c.Writer(2).Steps(10)
	if c.Number(noted) == before {
		t.Error("nothing could be written")
	}
	after := c.Number(noted)
	if more, err := pgsummary.Fold(t.Context(), c.Pool); more || err != nil {
		t.Errorf("a second fold wants more: %v, %v; want it to leave", more, err)
	}
	if n := c.Number(noted); n != after {
		t.Errorf("a second fold has folded %d rows", after-n)
	}
}

func TestATransactionThatFailsLeavesNothingToFold(t *testing.T) {
	t.Parallel()
	c := found(t)
	c.Fold()
	failure := errors.New("the last rule says no")
	err := c.Tx.Do(t.Context(), repository.Meta{At: fixture.At}, func(ctx context.Context, s repository.Stores) error {
		id, err := s.Clients.Add(ctx, fixture.Client(c.Office.Manager, fixture.Company()))
		if err != nil {
			return err
		}
		// A read within the transaction has the projections write.
		if _, err := s.View.Read(ctx, readmodel.Clients, int64(id), &readmodel.Selection{Paths: []string{"id"}, Type: -1}); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Fatal(err)
	}
	if n := c.Number(noted); n != 0 {
		t.Errorf("%d rows are noted", n)
	}
	batch := c.Number("select max(id) from change_batches")
	c.Fold()
	if now := c.Number("select max(id) from change_batches"); now != batch {
		t.Error("a batch was folded without anything in it")
	}
	c.Agrees("after a failure")
}

func TestRowsOfFoldedBatchesAreKeptForAWhile(t *testing.T) {
	t.Parallel()
	c := found(t)
	const kept = 64
	for i := range kept + 10 {
		fixture.Do(t, c.Tx, c.Office.Manager, func(ctx context.Context, s repository.Stores) error {
			_, err := s.Clients.Add(ctx, fixture.Client(c.Office.Manager, fixture.Company()))
			return err
		})
		c.Fold()
		want := min(int64(i+1), kept)
		if i == 0 {
			continue // the office came in the first batch too
		}
		if got := c.Number("select count(distinct batch_id) from client_changes, read_model_state where batch_id < oldest_open_batch"); got != want {
			t.Fatalf("after %d folds the rows of %d batches are there, want %d", i+1, got, want)
		}
		if got := c.Number("select count(*) from client_changes, read_model_state where batch_id < oldest_retained_batch"); got != 0 {
			t.Fatalf("%d rows lie before those that are said to be there", got)
		}
		if got := c.Number("select oldest_open_batch - oldest_retained_batch from read_model_state"); got != want {
			t.Fatalf("after %d folds %d batches are said to be there, want %d", i+1, got, want)
		}
	}
	c.Agrees("after trimming")
}
