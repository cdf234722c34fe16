package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrOvertaken says that what a transaction builds upon has been put away by
// another since it was looked up.
var ErrOvertaken = errors.New("the transaction was overtaken by another")

// maxAttempts is how often a transaction is tried that loses to others.
const maxAttempts = 5

// InTransaction runs fn in a transaction and commits it. One that fails because
// of what others do at the same time is tried again from its start, so fn must
// have no other effects. The refusals are those of Fault; a connection that
// breaks during the commit is fault.OutcomeUnknown.
func InTransaction(ctx context.Context, pool *pgxpool.Pool, fn func(ctx context.Context, tx pgx.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := once(ctx, pool, fn)
		if err == nil || attempt == maxAttempts || !isContention(err) {
			return Fault(err, Storing)
		}
		pause := time.Duration(attempt) * time.Duration(1+rand.IntN(5)) * time.Millisecond //nolint:gosec // no secret: writers only have to part
		select {
		case <-ctx.Done():
			return Fault(ctx.Err(), Storing)
		case <-time.After(pause):
		}
	}
}

func once(ctx context.Context, pool *pgxpool.Pool, fn func(ctx context.Context, tx pgx.Tx) error) error {
	tx, err := pool.Begin(ctx)
	if Reconnect(ctx, pool, err) { // nothing was asked yet
		tx, err = pool.Begin(ctx)
	}
	if err != nil {
		return err
	}
	defer rollback(ctx, tx) // if fn panics, too; after a commit it does nothing
	if err := fn(ctx, tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err = tx.Commit(ctx)
	if err == nil || isAnswered(err) {
		return err
	}
	return unknown.Because(err)
}

// isAnswered tells whether the database itself has said that a commit failed. A
// connection that it ends may end behind the commit as well as before it. What
// pgconn thinks safe to send again is not asked: it says so of a commit that was
// carried out when the connection breaks before the answer.
func isAnswered(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.SeverityUnlocalized == "ERROR"
	}
	return errors.Is(err, pgx.ErrTxCommitRollback)
}

// rollback ends the transaction, if it has not ended, even if the request has
// gone away: a connection that is still inside one must not return to the pool.
// If it fails the pool throws the connection away, and the database rolls back.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = tx.Rollback(ctx)
}

// contested are the constraints that two writers can run into although each of
// them keeps the rule by itself: tried again, the later one sees the other.
var contested = map[string]bool{"statuses_one_default": true}

func isContention(err error) bool {
	if errors.Is(err, ErrOvertaken) {
		return true
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	switch pg.Code {
	case serializationFailure, deadlockDetected:
		return true
	case uniqueViolation:
		return contested[pg.ConstraintName]
	}
	return false
}
