package pgsummary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// The changes of folded batches are retained until there are more than retainedBatches
// and at least for retention, by the clock of the database: a cached match count lives
// as long, however many instances fold. While the lists are rebuilt all are retained.
const (
	retainedBatches = 64
	retention       = time.Minute
)

const maxFolds = 16

// Fold folds the batches that no writer has locked; more reports whether it stopped before
// the last of them. Writers and readers do not wait for it, and totals are exact at any
// time. Several processes may call it at once: while one folds, the others return
// immediately.
func Fold(ctx context.Context, db postgres.DB) (more bool, err error) {
	r, err := fold(ctx, db, 0)
	return r.more, err
}

type round struct {
	pending bool            // there was something to fold, even if it could not be folded
	early   bool            // the newest batch was opened too short a time ago
	more    bool            // another round can follow at once
	changed []*listdef.List // lists that had something to fold
}

// fold is like Fold, but opens no batch while the newest one is younger than pause,
// whichever process opened that: any number of processes fold as often as one.
func fold(ctx context.Context, db postgres.DB, pause time.Duration) (round, error) {
	b, err := readBatches(ctx, db, pause)
	if err != nil || !b.pending() {
		return round{}, err
	}
	r := round{pending: true, changed: b.changed}
	if b.several() {
		// Left over from a round that was held up.
		r.more, err = foldClosed(ctx, db)
		if err != nil || r.more {
			return r, err
		}
		if b, err = readBatches(ctx, db, pause); err != nil || b.several() || !b.pending() {
			return r, err
		}
	}
	if b.young {
		r.early = true
		return r, nil
	}
	if err := openBatch(ctx, db, pause); err != nil {
		return r, fmt.Errorf("open a batch: %w", err)
	}
	_, err = foldOldest(ctx, db)
	return r, err
}

// foldClosed folds all batches but the newest, up to one that a writer holds; more
// reports that it stopped before.
func foldClosed(ctx context.Context, db postgres.DB) (more bool, err error) {
	for range maxFolds {
		folded, err := foldOldest(ctx, db)
		if err != nil || !folded {
			return false, err
		}
	}
	return true, nil
}

type batches struct {
	oldest, newest *int64
	changed        []*listdef.List // lists with changes that are not folded
	young          bool            // the newest was opened less than a pause ago
}

func (b batches) several() bool { return b.oldest != nil && *b.oldest != *b.newest }

// pending reports whether there is something to fold, or no batch at all: without one
// no transaction can write.
func (b batches) pending() bool { return b.oldest == nil || b.several() || len(b.changed) > 0 }

var selectBatches = `select
    b.oldest, b.newest,
    ` + hasChanges("batch_id >= b.oldest") + `,
    exists (select from change_batches where id = b.newest and opened_at between clock_timestamp() - $1::interval and clock_timestamp())
from (select min(id) as oldest, max(id) as newest from change_batches) b`

// hasChanges returns the SQL of an array: for each list, whether a row of its changes meets the condition.
func hasChanges(where string) string {
	var all []string
	for _, l := range listdef.All {
		all = append(all, "exists (select from "+l.Changes+" where "+where+")")
	}
	return "array[\n        " + strings.Join(all, ",\n        ") + "\n    ]"
}

// changedLists returns the lists for which hasChanges has selected true.
func changedLists(has []bool) (changed []*listdef.List) {
	for i, l := range listdef.All {
		if has[i] {
			changed = append(changed, l)
		}
	}
	return changed
}

func readBatches(ctx context.Context, from interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, pause time.Duration,
) (b batches, err error) {
	var has []bool
	if err = from.QueryRow(ctx, selectBatches, pause).Scan(&b.oldest, &b.newest, &has, &b.young); err != nil {
		return b, fmt.Errorf("read the open batches: %w", postgres.Fault(err, postgres.Storing))
	}
	b.changed = changedLists(has)
	return b, nil
}

// lockState locks the read models against other processes that fold or rebuild. No
// row: another one has the lock.
const lockState = `
select oldest_open_batch, oldest_retained_batch
from read_model_state
for update skip locked`

// openBatch gives writers a batch to write to while the one before is folded. It is a
// transaction of its own: writers see the batch only when it has committed. It draws the
// id under the lock of the state, which folding takes too, and holds that lock until the
// commit. So ids become visible in their order, and never one below a batch that is
// folded.
func openBatch(ctx context.Context, db postgres.DB, pause time.Duration) error {
	return postgres.InTransaction(ctx, db, func(ctx context.Context, tx *postgres.Tx) error {
		var open, retained int64
		if err := tx.QueryRow(ctx, lockState).Scan(&open, &retained); err != nil {
			return ignoreNoRows(err)
		}
		b, err := readBatches(ctx, tx, pause)
		if err != nil || b.several() || b.young {
			return err
		}
		id, err := tx.Numbers(ctx, "change_batches")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "insert into change_batches (id) overriding user value values ($1)", id[0])
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
func foldOldest(ctx context.Context, db postgres.DB) (folded bool, err error) {
	err = postgres.InTransaction(ctx, db, func(ctx context.Context, tx *postgres.Tx) error {
		folded = false
		if _, err := tx.Exec(ctx, noStatementTimeout); err != nil {
			return err
		}
		var open, retained, id int64
		if err := tx.QueryRow(ctx, lockState).Scan(&open, &retained); err != nil {
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
		if err := foldBatch(ctx, tx, id); err != nil {
			return err
		}
		open, err = advance(ctx, tx, retained)
		if err != nil {
			return err
		}
		folded = true
		return splitSegments(ctx, tx, open)
	})
	if err != nil {
		return false, fmt.Errorf("fold a batch: %w", err)
	}
	return folded, nil
}

// noStatementTimeout lifts, for one transaction, the limit that connections have for
// the sake of requests.
const noStatementTimeout = "set local statement_timeout = 0"

// foldBatch adds the batch to the read models of the lists that it changes, and deletes it. Most
// batches change few lists, and of companies that share a connection each statement is planned again.
func foldBatch(ctx context.Context, tx *postgres.Tx, id int64) error {
	var has []bool
	if err := tx.QueryRow(ctx, selectChanged, id).Scan(&has); err != nil {
		return err
	}
	b := &pgx.Batch{}
	for _, sql := range foldingOf(changedLists(has)) {
		b.Queue(sql, id)
	}
	b.Queue("delete from change_batches where id = $1", id)
	return tx.SendBatch(ctx, b).Close()
}

// selectChanged selects which lists have changes in the batch $1.
var selectChanged = "select " + hasChanges("batch_id = $1")

// foldingOf returns the statements that fold a batch with changes of these lists.
func foldingOf(changed []*listdef.List) (all []string) {
	for _, s := range foldStatements {
		if slices.ContainsFunc(s.lists, func(l *listdef.List) bool { return slices.Contains(changed, l) }) {
			all = append(all, s.sql)
		}
	}
	return all
}

// foldStatement adds the changes in the batch $1 to a read model.
type foldStatement struct {
	sql   string
	lists []*listdef.List // whose changes it adds
}

var foldStatements = func() (all []foldStatement) {
	for _, r := range rollups {
		all = append(all, foldStatement{r.fold(), r.lists})
	}
	for _, p := range pageIndexes {
		all = append(all, foldStatement{p.add(oneBatch), []*listdef.List{cmp.Or(p.Parent, p.List)}})
	}
	return all
}()

// advance moves the state past a batch that was folded, and deletes changes that were
// retained for long enough, unless the lists are being rebuilt. It returns the new oldest
// open batch. A position that was reached in the future, before the clock was set back, is
// an old one.
func advance(ctx context.Context, tx *postgres.Tx, retained int64) (open int64, err error) {
	idle, err := isRebuildUnlocked(ctx, tx, listsKind)
	if err != nil {
		return 0, err
	}
	var retain int64
	err = tx.QueryRow(ctx, `
update read_model_state
set
    oldest_open_batch = b.id,
    oldest_retained_batch = case when $3 then greatest(oldest_retained_batch, least(b.id - $1, (
        select coalesce(max(batch_id), 0)
        from read_model_positions
        where reached_at not between clock_timestamp() - $2::interval and clock_timestamp()
    ))) else oldest_retained_batch end
from (select min(id) as id from change_batches) b
returning oldest_open_batch, oldest_retained_batch`, retainedBatches, retention, idle).Scan(&open, &retain)
	if err != nil {
		return open, err
	}
	b := &pgx.Batch{}
	b.Queue(insertPosition, open)
	if retain > retained {
		for _, l := range listdef.All {
			b.Queue("delete from "+l.Changes+" where batch_id >= $1 and batch_id < $2", retained, retain)
		}
		b.Queue("delete from read_model_positions where batch_id < $1", retain)
	}
	return open, tx.SendBatch(ctx, b).Close()
}

// insertPosition stores that the sums have reached the position, with a new token.
const insertPosition = `
insert into read_model_positions (batch_id, token, reached_at)
values ($1, gen_random_uuid(), clock_timestamp())
on conflict (batch_id) do update
set token = excluded.token, reached_at = excluded.reached_at`

func splitSegments(ctx context.Context, tx *postgres.Tx, open int64) error {
	rows, err := tx.Query(ctx, "select distinct list from page_index where record_count > $1", maxSegment)
	if err != nil {
		return err
	}
	big, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, list := range big {
		for split := int64(1); split > 0; {
			tag, err := tx.Exec(ctx, splitStatements[list], open)
			if err != nil {
				return err
			}
			split = tag.RowsAffected()
		}
	}
	return nil
}

var splitStatements = func() map[string]string {
	all := map[string]string{}
	for _, p := range pageIndexes {
		all[p.Table] = p.split()
	}
	return all
}()
