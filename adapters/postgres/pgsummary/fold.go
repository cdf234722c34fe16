package pgsummary

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// Fold folds the batches that no writer has locked; isUnfinished reports whether it stopped before
// the last of them. Writers and readers do not wait for it, and totals are exact at any
// time. Several processes may call it at once: while one folds, the others return
// immediately.
func Fold(ctx context.Context, db *postgres.DB) (isUnfinished bool, err error) {
	_, isUnfinished, err = fold(ctx, db, 0)
	return isUnfinished, err
}

const maxFolds = 16

// fold is like Fold, but opens no batch while the newest one is younger than pause,
// whichever process opened that: any number of processes fold as often as one. pending
// reports whether there was something to fold, even if it could not be folded.
func fold(ctx context.Context, db *postgres.DB, pause time.Duration) (pending, isUnfinished bool, err error) {
	b, err := readBatches(ctx, db, pause)
	if err != nil || !b.pending {
		return false, false, err
	}
	if !b.several {
		if b.isYoung {
			return true, false, nil
		}
		if err := openBatch(ctx, db, pause); err != nil {
			return true, false, fmt.Errorf("open a batch: %w", err)
		}
	}
	for range maxFolds {
		folded, err := foldOldest(ctx, db)
		if err != nil {
			return true, false, fmt.Errorf("fold a batch: %w", err)
		}
		if !folded {
			return true, false, nil
		}
	}
	return true, true, nil
}

type batches struct {
	several bool // there is one to fold beside the newest
	pending bool // there is something to fold, or no batch at all: without one no transaction can write
	isYoung bool // the newest was opened less than a pause ago
}

var selectBatches = `select
    coalesce(b.oldest < b.newest, false),
    b.oldest is null or b.oldest < b.newest or ` + strings.Join(forLists("exists (select from {} where batch_id >= b.oldest)"), " or ") + `,
    exists (select from change_batches where id = b.newest and opened_at between clock_timestamp() - $1::interval and clock_timestamp())
from (select min(id) as oldest, max(id) as newest from change_batches) b`

// forLists returns the SQL for the change table of each list.
func forLists(pattern string) []string {
	var tables []string
	for _, l := range listdef.All {
		tables = append(tables, l.Changes)
	}
	return eachOf(tables, pattern)
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readBatches(ctx context.Context, db querier, pause time.Duration) (b batches, err error) {
	if err := db.QueryRow(ctx, selectBatches, pause).Scan(&b.several, &b.pending, &b.isYoung); err != nil {
		return b, fmt.Errorf("read the open batches: %w", postgres.Fault(err, postgres.Storing))
	}
	return b, nil
}

// lockState locks the read models against other processes that fold or rebuild. No
// row: another one has the lock.
const lockState = `
select oldest_open_batch
from read_model_state
for update skip locked`

// openBatch gives writers a batch to write to while the one before is folded. It is a
// transaction of its own: writers see the batch only when it has committed. It draws the
// id under the lock of the state, which folding takes too, and holds that lock until the
// commit. So ids become visible in their order, and never one below a batch that is
// folded.
func openBatch(ctx context.Context, db *postgres.DB, pause time.Duration) error {
	return postgres.InTransaction(ctx, db, func(ctx context.Context, tx pgx.Tx) error {
		var open int64
		if err := tx.QueryRow(ctx, lockState).Scan(&open); err != nil {
			return ignoreNoRows(err)
		}
		b, err := readBatches(ctx, tx, pause)
		if err != nil || b.several || b.isYoung {
			return err
		}
		_, err = tx.Exec(ctx, "insert into change_batches default values")
		return err
	})
}

func ignoreNoRows(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}

// foldOldest folds the oldest batch, unless it is also the newest, a writer holds it,
// or another process folds.
func foldOldest(ctx context.Context, db *postgres.DB) (folded bool, err error) {
	err = postgres.InTransaction(ctx, db, func(ctx context.Context, tx pgx.Tx) error {
		folded = false
		if _, err := tx.Exec(ctx, noStatementTimeout); err != nil {
			return err
		}
		var open, id int64
		if err := tx.QueryRow(ctx, lockState).Scan(&open); err != nil {
			return ignoreNoRows(err)
		}
		// A writer holds a lock on the batch until its changes are committed. Once this
		// transaction has the row, no writer will get it, and the statements that follow
		// see all changes of the batch.
		err := tx.QueryRow(ctx, `
select b.id
from change_batches b
where b.id = (select min(id) from change_batches) and b.id < (select max(id) from change_batches)
for update of b skip locked`).Scan(&id)
		if err != nil {
			return ignoreNoRows(err)
		}
		b := &pgx.Batch{}
		for _, sql := range foldStatements {
			b.Queue(sql, id)
		}
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		folded = true
		return nil
	})
	return folded, err
}

// noStatementTimeout lifts, for one transaction, the limit that connections have for
// the sake of requests.
const noStatementTimeout = "set local statement_timeout = 0"

// foldStatements add the changes in the batch $1 to the rollups, and delete it.
var foldStatements = func() (all []string) {
	for _, r := range rollups {
		all = append(all, r.fold())
	}
	all = append(all, forLists("delete from {} where batch_id = $1")...)
	return append(all, "delete from change_batches where id = $1",
		"update read_model_state set oldest_open_batch = (select min(id) from change_batches where id > $1)")
}()
