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

// beginning begins a transaction of the level of readCommitted, whatever the default of the
// connection.
const beginning = "begin isolation level read committed"

// Tx is a transaction of InTransaction, which ends it. It begins with its first statement. If
// that is a batch, both are one round trip.
//
// Chose this over pgxpool's Begin, because a short write consists of few round trips, and
// an eighth of its processor time was beginning. Costs that a connection that turns out to
// be broken is noticed only by the first statement, so the unit of work is run again.
type Tx struct {
	conn     *pgxpool.Conn
	of       company.Code // whose statements it has; empty: the default company
	recorder *recorder
	begun    bool
	ended    bool
}

// begin begins the transaction unless it has begun.
func (t *Tx) begin(ctx context.Context) error {
	if t.begun {
		return nil
	}
	openings := t.openings()
	if len(openings) > 1 {
		return t.SendBatch(ctx, &pgx.Batch{}).Close()
	}
	_, err := t.conn.Exec(ctx, openings[0])
	t.begun = err == nil
	return err
}

// openings are the statements that begin the transaction, also on a worker.
func (t *Tx) openings() []string {
	if known, ok := t.Conn().PgConn().CustomData()[openingsKey].([]string); ok {
		return known
	}
	return []string{beginning}
}

// SendBatch sends a batch.
func (t *Tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.send(ctx, qualifyAll(b, t.of))
}

func (t *Tx) send(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
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

// Exec runs a statement without rows.
func (t *Tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := t.begin(ctx); err != nil {
		return pgconn.CommandTag{}, err
	}
	return t.conn.Exec(ctx, qualify(sql, t.of), args...)
}

// Query runs a statement that returns rows.
func (t *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	return t.conn.Query(ctx, qualify(sql, t.of), args...)
}

// QueryRow runs a statement that returns at most one row.
func (t *Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := t.begin(ctx); err != nil {
		return failedRow{err}
	}
	return t.conn.QueryRow(ctx, qualify(sql, t.of), args...)
}

// failedRow is the row of a query that was not sent.
type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

// Conn is the connection of the transaction.
func (t *Tx) Conn() *pgx.Conn { return t.conn.Conn() }

// commit is like that of pgx.Tx: a connection that fails to commit is closed, and
// pgx.ErrTxCommitRollback says that the transaction had failed before. With a recorder, the
// position after the commit is recorded in the same round trip; the error is errUnrecorded
// if that fails.
func (t *Tx) commit(ctx context.Context) error {
	if !t.begun {
		return nil
	}
	t.ended = true
	if t.recorder == nil {
		done, err := t.conn.Exec(ctx, commitSQL)
		return t.committed(ctx, done, err)
	}
	var b pgx.Batch
	t.queueCommit(&b)
	return t.readCommit(ctx, t.conn.SendBatch(ctx, &b))
}

// CommitWith runs a batch and commits in the same round trip, unless the transaction
// has not begun: then the commit follows. read reads the results of the batch;
// only an error of the database among them prevents the commit. An error after which the
// outcome is not known is a fault.OutcomeUnknown.
//
// Chose this over a separate commit, because a round trip is a tenth of the processor time of
// a short write. Costs that the results cannot be checked before the commit.
func (t *Tx) CommitWith(ctx context.Context, b *pgx.Batch, read func(pgx.BatchResults) error) error {
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
	return unknown.WithCause(err)
}

// queueCommit queues the commit, and with a recorder what records the position after it.
func (t *Tx) queueCommit(b *pgx.Batch) {
	b.Queue(commitSQL)
	if t.recorder != nil {
		b.Queue(qualify(RecordPositions, t.of), []int64{t.recorder.token})
	}
}

// readCommit reads the results of queueCommit, which are the last of a batch.
func (t *Tx) readCommit(ctx context.Context, results pgx.BatchResults) error {
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

const commitSQL = "commit"

// committed is the error of a commit with that result.
func (t *Tx) committed(ctx context.Context, done pgconn.CommandTag, err error) error {
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
func (t *Tx) rollbackUnlessEnded(ctx context.Context) {
	if t.begun && !t.ended {
		rollback(ctx, t.rollback)
	}
}

// rollback ends a transaction that has begun. A connection that fails to do so is closed,
// and the database rolls back.
func (t *Tx) rollback(ctx context.Context) error {
	t.ended = true
	_, err := t.conn.Exec(ctx, "rollback")
	if err != nil {
		_ = t.conn.Conn().Close(ctx) // the error is that of the rollback
	}
	return err
}
