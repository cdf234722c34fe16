package pgread

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// snapshot is a connection on which all statements see the same records.
type snapshot struct {
	Querier
	end func()
}

// beginSnapshot takes a snapshot. What cannot begin a transaction is one already, and
// its snapshot is used.
func beginSnapshot(ctx context.Context, db Querier) (snapshot, error) {
	pool, ok := db.(interface {
		BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
	})
	if !ok {
		return snapshot{Querier: db, end: func() {}}, nil
	}
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	tx, err := postgres.Repeat(ctx, db, func() (pgx.Tx, error) { return pool.BeginTx(ctx, options) })
	if err != nil {
		return snapshot{}, postgres.Fault(err, postgres.Storing)
	}
	return snapshot{Querier: tx, end: func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = tx.Rollback(ctx) // if it fails, the pool closes the connection
	}}, nil
}
