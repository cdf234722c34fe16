package pgsummary_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// rebuildWith rebuilds wrong read models, and calls during once, when the first of them
// has been staged.
func (c company) rebuildWith(during func()) error {
	c.T.Helper()
	c.Execute(
		"update client_totals set record_count = record_count + 1", "delete from client_counts where client_id % 2 = 0",
		"update page_index set record_count = record_count + 1", "update read_model_state set lists_ready = false, invalidations = invalidations + 1",
	)
	return pgsummary.Rebuild(c.T.Context(), c.whenStaged(during))
}

// whenStaged is a pool that calls then once, when the first read model has been staged.
func (c company) whenStaged(then func()) *pgxpool.Pool {
	c.T.Helper()
	return c.tracedPool(&after{"insert into staged_client_totals", then})
}

func (c company) tracedPool(tracer pgx.QueryTracer) *pgxpool.Pool {
	c.T.Helper()
	config := c.Pool.Config()
	config.ConnConfig.Tracer = tracer
	pool, err := pgxpool.NewWithConfig(c.T.Context(), config)
	if err != nil {
		c.T.Fatal(err)
	}
	c.T.Cleanup(pool.Close)
	return pool
}

func (c company) listsReady() int64 {
	c.T.Helper()
	return c.Number("select count(*) from read_model_state where lists_ready")
}

// contract 1.55
func TestRebuildLetsOthersFoldMeanwhile(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(12).Steps(100)
	before := c.oldestOpenBatch()
	err := c.rebuildWith(func() {
		for range 3 {
			c.Writer(13).Steps(30)
			c.Fold()
		}
		if open, changes := c.oldestOpenBatch(), c.openChanges(); open < before+3 || changes != 0 {
			t.Errorf("during the rebuild, %d changes are open, and the oldest batch is %d after %d", changes, open, before)
		}
		c.Writer(14).Steps(30) // stay open
	})
	if err != nil || c.listsReady() != 1 {
		t.Errorf("the rebuild ends with %v and ready lists: %d", err, c.listsReady())
	}
	c.Agrees("when a rebuild has caught up")
	c.Fold()
	c.Agrees("when all changes are folded")
}

// A writer whose batch is open when the rebuild begins commits before its end.
func TestRebuildCountsAConcurrentCommitOnce(t *testing.T) {
	t.Parallel()
	for name, fold := range map[string]bool{"and is folded": true, "and is not folded": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCompany(t)
			c.Writer(15).Steps(50)
			end := c.holdBatch() // with the batch of which some changes are committed
			c.Execute("insert into change_batches default values")
			err := c.rebuildWith(func() {
				c.Writer(16).Steps(20)
				end()
				if fold {
					c.Fold()
				}
			})
			if err != nil {
				t.Error(err)
			}
			c.Agrees("after the rebuild")
		})
	}
}

func TestRebuildHasTheChangesSinceItsSnapshotRetained(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "Citus refuses the statement that makes positions older")
	c := newCompany(t)
	err := c.rebuildWith(func() {
		for range 70 {
			c.Writer(17).Steps(2)
			c.Fold()
		}
		c.Execute("update read_model_positions set reached_at = reached_at - interval '1 hour'")
		c.Writer(18).Steps(2)
		c.Fold()
	})
	if err != nil {
		t.Error(err)
	}
	c.Agrees("after 70 folds")
	c.Writer(19).Steps(2)
	c.Fold()
	c.Agrees("when the changes are not needed any more")
}

// A program of an earlier version does not retain them.
func TestRebuildEndsInAnErrorIfChangesSinceItsSnapshotAreGone(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	err := c.rebuildWith(func() {
		c.Writer(20).Steps(20)
		c.Fold()
		c.Execute(
			"update read_model_state set oldest_retained_batch = oldest_open_batch",
			"delete from client_changes where batch_id < (select oldest_open_batch from read_model_state)",
		)
	})
	if err == nil || !strings.Contains(err.Error(), "not retained") || c.listsReady() != 0 {
		t.Errorf("the rebuild ends with %v and ready lists: %d", err, c.listsReady())
	}
	c.Rebuild()
	c.Agrees("rebuilt again")
}

func TestRebuildOfListsBeginsAgainIfTheyAreInvalidatedMeanwhile(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(21).Steps(50)
	err := c.rebuildWith(func() {
		c.Execute("update invoices set paid_month = 1 where paid_month is not null", "update read_model_state set lists_ready = false, invalidations = invalidations + 1")
	})
	if err != nil || c.listsReady() != 1 {
		t.Errorf("the rebuild ends with %v and ready lists: %d", err, c.listsReady())
	}
	c.Agrees("rebuilt twice")
}

func TestWorkerFoldsWhileItRebuilds(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	c.Writer(22).Steps(50)
	c.Execute("update read_model_state set lists_ready = false, invalidations = invalidations + 1", "delete from client_totals")
	staged, release := make(chan struct{}), make(chan struct{})
	working := c
	working.Pool = c.whenStaged(func() {
		close(staged)
		<-release
	})
	var log logged
	stop := working.runWorker(&log)
	<-staged
	c.Writer(23).Steps(20)
	c.becomes("open changes", c.openChanges, 0)
	if c.listsReady() != 0 {
		t.Error("the rebuild has not waited")
	}
	close(release)
	c.becomes("ready lists", c.listsReady, 1)
	stop()
	c.Agrees("rebuilt")
}
