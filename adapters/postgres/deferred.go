package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// beginning begins a transaction of the level of readCommitted, whatever the default of the
// connection.
const beginning = "begin isolation level read committed"

// Tx is a transaction of InTransaction, which ends it. It begins with its first statement. If
// that is a batch, both are one round trip.
//
// Chose this over pgxpool's Begin, because a short write consists of few round trips, and
// an eighth of its CPU time was beginning. Costs that a connection that turns out to
// be broken is noticed only by the first statement, so the unit of work is run again.
type Tx struct {
	conn  *pgxpool.Conn
	begun bool
	ended bool
}

func newTx(ctx context.Context, db DB) (*Tx, error) {
	conn, err := db.Acquire(ctx)
	return &Tx{conn: conn}, err
}

func (t *Tx) begin(ctx context.Context) error {
	if t.begun {
		return nil
	}
	_, err := t.conn.Exec(ctx, beginning)
	t.begun = err == nil
	return err
}

// SendBatch sends a batch.
func (t *Tx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if t.begun {
		return t.conn.SendBatch(ctx, b)
	}
	var first pgx.Batch
	first.Queue(beginning)
	b.QueuedQueries = slices.Concat(first.QueuedQueries, b.QueuedQueries)
	results := t.conn.SendBatch(ctx, b)
	_, err := results.Exec()
	t.begun = err == nil
	return results // an error is that of the next result as well
}

// Exec runs a statement without rows.
func (t *Tx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := t.begin(ctx); err != nil {
		return pgconn.CommandTag{}, err
	}
	return t.conn.Exec(ctx, sql, args...)
}

// Query runs a statement that returns rows.
func (t *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	return t.conn.Query(ctx, sql, args...)
}

// QueryRow runs a statement that returns at most one row.
func (t *Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := t.begin(ctx); err != nil {
		return failedRow{err}
	}
	return t.conn.QueryRow(ctx, sql, args...)
}

// failedRow is the row of a statement that could not be sent.
type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

// Conn is the connection of the transaction.
func (t *Tx) Conn() *pgx.Conn { return t.conn.Conn() }

// commit is like that of pgx.Tx: a connection that fails to commit is closed, and
// pgx.ErrTxCommitRollback says that the transaction had failed before.
func (t *Tx) commit(ctx context.Context) error {
	if !t.begun {
		return nil
	}
	t.ended = true
	done, err := t.conn.Exec(ctx, commitSQL)
	return t.committed(ctx, done, err)
}

// Confirm commits a transaction that will end with an error about what it has read. If it has locked a
// row, it waits until what it has read is on the disk and on the synchronous replicas.
func (t *Tx) Confirm(ctx context.Context) error {
	err := t.commit(ctx)
	if err == nil || isAnswered(err) {
		return err
	}
	return unknownOutcome(err)
}

const commitSQL = "commit"

func (t *Tx) committed(ctx context.Context, done pgconn.CommandTag, err error) error {
	switch {
	case err != nil && t.conn.Conn().PgConn().TxStatus() != 'I':
		_ = t.conn.Conn().Close(ctx) // the error is that of the commit
		return err
	case err == nil && done.String() == "ROLLBACK":
		return pgx.ErrTxCommitRollback
	case err == nil && takeUnreplicated(t.conn.Conn().PgConn()):
		return unreplicated
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
