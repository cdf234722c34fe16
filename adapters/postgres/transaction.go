package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/domain/fault"
)

// ErrRollback is returned by the fn of InTransaction to roll the transaction back.
// InTransaction then returns nil.
var ErrRollback = errors.New("the transaction is to be rolled back")

// maxAttempts is the limit of attempts of a transaction that conflicts with others.
const maxAttempts = 5

// readCommitted is the isolation level of transactions, whatever the default of the
// server, the database or the role. Writing and folding depend on it: a statement that
// has waited for a lock sees what the transaction before it has committed.
var readCommitted = pgx.TxOptions{IsoLevel: pgx.ReadCommitted}

// InTransaction runs fn in a transaction and commits it. The isolation level is READ
// COMMITTED. A transaction that conflicts with others, as in a deadlock, is retried, so fn
// must have no other effects. Errors are translated by Fault; if the connection is lost during
// the commit, the error is a fault.OutcomeUnknown.
func InTransaction(ctx context.Context, db *DB, fn func(ctx context.Context, tx pgx.Tx) error) error {
	return InTransactionAfter(ctx, db, func(*pgx.Batch) {}, fn)
}

// InTransactionAfter is like InTransaction. The queries that first queues are sent with the beginning of
// the transaction, and their results are read before fn runs.
func InTransactionAfter(
	ctx context.Context, db *DB, first func(b *pgx.Batch), fn func(ctx context.Context, tx pgx.Tx) error,
) error {
	for attempt := 1; ; attempt++ {
		err := once(ctx, db, first, fn)
		if errors.Is(err, ErrRollback) {
			return nil
		}
		if err == nil || attempt == maxAttempts || !isContention(err) {
			return Fault(err, Storing)
		}
		pause := time.Duration(attempt) * time.Duration(1+rand.IntN(5)) * time.Millisecond //nolint:gosec // not a secret, only jitter
		select {
		case <-ctx.Done():
			return Fault(ctx.Err(), Storing)
		case <-time.After(pause):
		}
	}
}

func once(ctx context.Context, db *DB, first func(b *pgx.Batch), fn func(ctx context.Context, tx pgx.Tx) error) error {
	began := time.Now()
	isBegun, err := attempt(ctx, db, first, fn)
	if isMistaken(ctx, db, err, began) || !isBegun && Reconnect(ctx, db, err) { // it is rolled back, or nothing has happened yet
		_, err = attempt(ctx, db, first, fn)
	}
	return err
}

// attempt runs fn in a transaction on one connection; isBegun is whether it has begun.
func attempt(
	ctx context.Context, db *DB, first func(b *pgx.Batch), fn func(ctx context.Context, tx pgx.Tx) error,
) (isBegun bool, err error) {
	c, err := db.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer c.release()
	var beginning pgx.Batch
	beginning.BeginTx(readCommitted)
	first(&beginning)
	db.mark(beginning.QueuedQueries[1:])
	results := c.SendBatch(ctx, &beginning)
	tx := &tx{results.Tx(), db, func() {}}
	defer rollback(ctx, tx.Rollback) // also if fn panics
	if err := results.Close(); err != nil {
		return false, err
	}
	if err := fn(ctx, tx); err != nil {
		return true, err
	}
	if err := ctx.Err(); err != nil {
		return true, err
	}
	return true, Commit(ctx, tx)
}

// Commit commits a transaction; fn of InTransaction may do so before its end. If the connection is
// lost, the error is a fault.OutcomeUnknown.
func Commit(ctx context.Context, tx pgx.Tx) error {
	err := tx.Commit(ctx)
	if errors.Is(err, pgx.ErrTxClosed) { // it has been committed before
		return nil
	}
	if err == nil && takeUnreplicated(tx.Conn().PgConn()) {
		err = unreplicated
	}
	if err == nil || isAnswered(err) || fault.Is(err, fault.OutcomeUnknown) {
		return err
	}
	return unknown.WithCause(err)
}

// isAnswered reports whether the database itself reported that a commit failed. A
// connection that it terminates may end before or after the commit. pgconn.SafeToRetry
// is not used: it is true for a commit that succeeded if the connection breaks before
// the response.
func isAnswered(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.SeverityUnlocalized == "ERROR"
	}
	return errors.Is(err, pgx.ErrTxCommitRollback)
}

// rollback ends the transaction unless it has ended, even if the request is cancelled:
// a connection in a transaction must not return to the pool. If it fails, the pool
// closes the connection, and the database rolls back.
func rollback(ctx context.Context, end func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = end(ctx)
}

// isContested reports whether two concurrent writers can violate the constraint although each
// of them obeys the rule: when retried, the later one sees the other's row.
func isContested(constraint string) bool {
	return constraint == "statuses_one_default" || constraint == "payments_reference_unique" || strings.HasSuffix(constraint, "_ref_unique")
}

func isContention(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	switch pg.Code {
	case serializationFailure, deadlockDetected:
		return true
	case uniqueViolation:
		return isContested(constraintName(pg))
	case notNullViolation, internalError:
		return isOvertaken(pg)
	}
	return false
}
