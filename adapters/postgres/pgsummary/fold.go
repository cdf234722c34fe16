package pgsummary

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// keptBatches is of how many folded batches the rows are kept at most.
const keptBatches = 64

// maxFolds is how many batches a round folds at most.
const maxFolds = 16

// Fold adds up what writers have noted, in the batches that none of them holds;
// more says that it stopped before it was through. Writers and readers are not
// held up, and figures are exact at any time. Any number of processes may call
// it: while one is at it, the others leave it at that.
func Fold(ctx context.Context, pool *pgxpool.Pool) (more bool, err error) {
	r, err := fold(ctx, pool)
	return r.more, err
}

// round is what a round of folding has found and done.
type round struct {
	noted bool // there was something to fold, whether or not it could be
	more  bool // another round can go on at once
}

func fold(ctx context.Context, pool *pgxpool.Pool) (round, error) {
	b, err := openBatches(ctx, pool)
	if err != nil || !b.noted() {
		return round{}, err
	}
	r := round{noted: true}
	if b.several() {
		// Left over from a round that was held up.
		r.more, err = foldOld(ctx, pool)
		if err != nil || r.more {
			return r, err
		}
		if b, err = openBatches(ctx, pool); err != nil || b.several() || !b.noted() {
			return r, err
		}
	}
	if err := openAnother(ctx, pool); err != nil {
		return r, fmt.Errorf("open a batch: %w", err)
	}
	_, err = foldOldest(ctx, pool)
	return r, err
}

// foldOld folds all batches but the newest, up to one that is held; more says
// that it stopped before.
func foldOld(ctx context.Context, pool *pgxpool.Pool) (more bool, err error) {
	for range maxFolds {
		folded, err := foldOldest(ctx, pool)
		if err != nil || !folded {
			return false, err
		}
	}
	return true, nil
}

// batches are the open ones.
type batches struct {
	oldest, newest *int64
	written        bool // something is noted in the newest
}

func (b batches) several() bool { return b.oldest != nil && *b.oldest != *b.newest }

// noted tells whether there is something to fold, or to mend: without a batch
// nobody can write.
func (b batches) noted() bool { return b.oldest == nil || b.several() || b.written }

func openBatches(ctx context.Context, from interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
},
) (b batches, err error) {
	err = from.QueryRow(ctx, `
select
    b.oldest, b.newest,
    exists (select from client_changes where batch_id = b.newest)
    or exists (select from deal_changes where batch_id = b.newest)
    or exists (select from offer_changes where batch_id = b.newest)
    or exists (select from contract_changes where batch_id = b.newest)
    or exists (select from invoice_changes where batch_id = b.newest)
from (select min(id) as oldest, max(id) as newest from change_batches) b`).Scan(&b.oldest, &b.newest, &b.written)
	if err != nil {
		return b, fmt.Errorf("look for what is noted: %w", postgres.Fault(err, postgres.Storing))
	}
	return b, nil
}

// claim makes this process the one that changes the models. No row: another one
// is.
const claim = `
select oldest_open_batch, oldest_retained_batch
from read_model_state
for update skip locked`

// openAnother gives writers a batch to write to while the one before is folded.
// It is a transaction of its own: only when it has ended do they see it. Whoever
// opens a batch draws its id behind the claim, and keeps the claim until all can
// see the batch; whoever folds has the claim too. So ids come to sight in their
// order, and never one below a batch that is folded.
func openAnother(ctx context.Context, pool *pgxpool.Pool) error {
	return postgres.InTransaction(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		var firstOpen, firstKept int64
		if err := tx.QueryRow(ctx, claim).Scan(&firstOpen, &firstKept); err != nil {
			return unlessNone(err)
		}
		b, err := openBatches(ctx, tx)
		if err != nil || b.several() {
			return err
		}
		_, err = tx.Exec(ctx, "insert into change_batches default values")
		return err
	})
}

// unlessNone is the error unless it says that there is no row.
func unlessNone(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}

// foldOldest folds the oldest batch unless it is the newest too, a writer holds
// it, or another process is at it.
func foldOldest(ctx context.Context, pool *pgxpool.Pool) (folded bool, err error) {
	err = postgres.InTransaction(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		folded = false
		if _, err := tx.Exec(ctx, unhurried); err != nil {
			return err
		}
		var firstOpen, firstKept, id int64
		if err := tx.QueryRow(ctx, claim).Scan(&firstOpen, &firstKept); err != nil {
			return unlessNone(err)
		}
		// Whoever holds the batch still writes to it. Once this has it, nobody
		// will any more: all that was noted is seen by the statements that follow.
		err := tx.QueryRow(ctx, `
select b.id
from change_batches b
where b.id = (select min(id) from change_batches) and b.id < (select max(id) from change_batches)
for update of b skip locked`).Scan(&id)
		if err != nil {
			return unlessNone(err)
		}
		if err := addUp(ctx, tx, id); err != nil {
			return err
		}
		opens, err := trim(ctx, tx, firstKept)
		if err != nil {
			return err
		}
		folded = true
		return splitPieces(ctx, tx, opens)
	})
	if err != nil {
		return false, fmt.Errorf("fold a batch: %w", err)
	}
	return folded, nil
}

// unhurried lets a transaction take its time: the limits of a connection are
// made for requests.
const unhurried = "set local statement_timeout = 0"

// addUp adds the batch to all models and takes it away.
func addUp(ctx context.Context, tx pgx.Tx, id int64) error {
	b := &pgx.Batch{}
	for _, sql := range addingUp {
		b.Queue(sql, id)
	}
	b.Queue("delete from change_batches where id = $1", id)
	return tx.SendBatch(ctx, b).Close()
}

var addingUp = func() (all []string) {
	for _, f := range allFigures {
		all = append(all, f.add())
	}
	for _, l := range cutLists {
		all = append(all, l.addMilestones(batch))
	}
	return all
}()

// trim moves the marks behind a batch that was folded, and takes away rows that
// were kept long enough.
func trim(ctx context.Context, tx pgx.Tx, kept int64) (opens int64, err error) {
	var keeps int64
	err = tx.QueryRow(ctx, `
update read_model_state
set oldest_open_batch = b.id, oldest_retained_batch = greatest(oldest_retained_batch, b.id - $1)
from (select min(id) as id from change_batches) b
returning oldest_open_batch, oldest_retained_batch`, keptBatches).Scan(&opens, &keeps)
	if err != nil || keeps == kept {
		return opens, err
	}
	b := &pgx.Batch{}
	for _, l := range lists {
		b.Queue("delete from "+l.changes+" where batch_id >= $1 and batch_id < $2", kept, keeps)
	}
	return opens, tx.SendBatch(ctx, b).Close()
}

// splitPieces splits the pieces that have grown too big.
func splitPieces(ctx context.Context, tx pgx.Tx, firstOpen int64) error {
	rows, err := tx.Query(ctx, "select distinct list from page_index where record_count > $1", 2*piece)
	if err != nil {
		return err
	}
	big, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range big {
		for cut := int64(1); cut > 0; {
			tag, err := tx.Exec(ctx, splitting[name], firstOpen)
			if err != nil {
				return err
			}
			cut = tag.RowsAffected()
		}
	}
	return nil
}

var splitting = func() map[string]string {
	all := map[string]string{}
	for _, l := range cutLists {
		all[l.name] = l.split()
	}
	return all
}()
