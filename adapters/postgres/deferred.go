package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/ports/company"
)

// beginning begins a transaction of the level of readCommitted.
const beginning = "begin isolation level read committed"

// deferredTx is a transaction that begins with its first statement. If that is a batch,
// both are one round trip. Of pgx.Tx it has only the methods below.
//
// Chose this over pgxpool's Begin, because a short write consists of few round trips, and
// an eighth of its processor time was beginning. Costs that a connection that turns out to
// be broken is noticed only by the first statement, so the unit of work is run again.
type deferredTx struct {
	pgx.Tx // nil

	conn     *pgxpool.Conn
	of       company.Code // whose statements it has; empty: the default company
	recorder *recorder
	begun    bool
	ended    bool
}

// begin begins the transaction unless it has begun.
func (t *deferredTx) begin(ctx context.Context) error {
	if t.begun {
		return nil
	}
	if len(t.openings()) > 1 {
		return t.SendBatch(ctx, &pgx.Batch{}).Close()
	}
	_, err := t.conn.Exec(ctx, beginning)
	t.begun = err == nil
	return err
}

// openings are the statements that begin the transaction, also on a worker.
func (t *deferredTx) openings() []string {
	if limit, isDistributed := t.Conn().PgConn().CustomData()[workerLimit].(string); isDistributed {
		return []string{beginning, limit}
	}
	return []string{beginning}
}

func (t *deferredTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.send(ctx, qualifyAll(b, t.of))
}

func (t *deferredTx) send(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if t.begun {
		return t.conn.SendBatch(ctx, b)
	}
	var first pgx.Batch
	for _, sql := range t.openings() {
		first.Queue(sql)
	}
	b.QueuedQueries = slices.Concat(first.QueuedQueries, b.QueuedQueries)
	results := t.conn.SendBatch(ctx, b)
	_, err := results.Exec()
	t.begun = err == nil
	for range len(first.QueuedQueries) - 1 {
		_, _ = results.Exec()
	}
	return results // an error is that of the next result as well
}

func (t *deferredTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := t.begin(ctx); err != nil {
		return pgconn.CommandTag{}, err
	}
	return t.conn.Exec(ctx, qualify(sql, t.of), args...)
}

func (t *deferredTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	return t.conn.Query(ctx, qualify(sql, t.of), args...)
}

func (t *deferredTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := t.begin(ctx); err != nil {
		return failedRow{err}
	}
	return t.conn.QueryRow(ctx, qualify(sql, t.of), args...)
}

// failedRow is the row of a query that was not sent.
type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

// Conn implements pgx.Tx.
func (t *deferredTx) Conn() *pgx.Conn { return t.conn.Conn() }

// Commit is that of pgx.Tx: a connection that fails to commit is closed, and
// pgx.ErrTxCommitRollback says that the transaction had failed before. With a recorder, the
// position after the commit is recorded in the same round trip; the error is errUnrecorded
// if that fails.
func (t *deferredTx) Commit(ctx context.Context) error {
	if !t.begun {
		return nil
	}
	t.ended = true
	if t.recorder == nil {
		done, err := t.conn.Exec(ctx, commit)
		return t.committed(ctx, done, err)
	}
	var b pgx.Batch
	t.queueCommit(&b)
	return t.readCommit(ctx, t.conn.SendBatch(ctx, &b))
}

// CommitWith runs a batch and commits in the same round trip, unless the transaction of
// InTransaction has not begun: then the commit follows. read reads the results of the batch;
// only an error of the database among them prevents the commit. An error after which the
// outcome is not known is a fault.OutcomeUnknown.
//
// Chose this over a commit of its own, because each round trip costs a short write a tenth
// of its processor time. Costs that the results cannot be judged before the commit.
func CommitWith(ctx context.Context, tx pgx.Tx, b *pgx.Batch, read func(pgx.BatchResults) error) error {
	return tx.(*deferredTx).commitWith(ctx, b, read)
}

func (t *deferredTx) commitWith(ctx context.Context, b *pgx.Batch, read func(pgx.BatchResults) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b = qualifyAll(b, t.of)
	commits := t.begun // else a broken connection has to be noticed before
	if commits {
		t.queueCommit(b)
	}
	results := t.send(ctx, b)
	err := read(results)
	switch {
	case err != nil:
		_ = results.Close() // which has the same error
	case commits:
		t.ended = true
		err = t.readCommit(ctx, results)
	default:
		return results.Close()
	}
	if err == nil || !commits || isAnswered(err) || errors.Is(err, errUnrecorded) {
		return err
	}
	return unknown.Because(err)
}

// queueCommit queues the commit, and with a recorder what records the position after it.
func (t *deferredTx) queueCommit(b *pgx.Batch) {
	b.Queue(commit)
	if t.recorder != nil {
		b.Queue(qualify(RecordPositions, t.of), []int64{t.recorder.token})
	}
}

// readCommit reads the results of queueCommit, which are the last of a batch.
func (t *deferredTx) readCommit(ctx context.Context, results pgx.BatchResults) error {
	done, err := results.Exec()
	switch {
	case err != nil:
		_ = results.Close() // which has the same error
	case t.recorder == nil:
		err = results.Close()
	default:
		unrecorded := t.recorder.scan(results.QueryRow())
		if err := errors.Join(unrecorded, results.Close()); err != nil {
			unrecorded = fmt.Errorf("%w: %v", errUnrecorded, err) //nolint:errorlint // it must not look like an error of the commit
		}
		if err := t.committed(ctx, done, nil); err != nil {
			return err
		}
		return unrecorded
	}
	return t.committed(ctx, done, err)
}

const commit = "commit"

// committed is the error of a commit with that result.
func (t *deferredTx) committed(ctx context.Context, done pgconn.CommandTag, err error) error {
	switch {
	case err != nil && t.conn.Conn().PgConn().TxStatus() != 'I':
		_ = t.conn.Conn().Close(ctx) // the error is that of the commit
		return err
	case err == nil && done.String() == "ROLLBACK":
		return pgx.ErrTxCommitRollback
	}
	return err
}

// rollbackUnlessEnded rolls back a transaction that has begun and not ended.
func (t *deferredTx) rollbackUnlessEnded(ctx context.Context) {
	if t.begun && !t.ended {
		rollback(ctx, t)
	}
}

// Rollback ends a transaction that has begun. A connection that fails to do so is closed,
// and the database rolls back.
func (t *deferredTx) Rollback(ctx context.Context) error {
	t.ended = true
	_, err := t.conn.Exec(ctx, "rollback")
	if err != nil {
		_ = t.conn.Conn().Close(ctx) // the error is that of the rollback
	}
	return err
}
