package pgsummary

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// A rebuildLock is the statement that locks the right to rebuild read models of a kind.
type rebuildLock string

const (
	// waitForRebuildLock is the lock of an operator.
	waitForRebuildLock rebuildLock = `
select kind
from read_model_rebuilds
where kind = $1
for update`
	// tryRebuildLock is the lock of the background worker, which leaves the rebuild to the
	// process that does it already.
	tryRebuildLock rebuildLock = waitForRebuildLock + " skip locked"
)

// The kinds of read models that are rebuilt together. A column of read_model_state with this name
// and the suffix _ready says whether they are.
const (
	listsKind  = "lists"
	searchKind = "search"
)

// errNotLocked means that another process does it, or that nothing is to be done.
var errNotLocked = errors.New("the read models are ready or locked")

// hold rebuilds while it holds the lock, on a connection of its own: the pool may have
// only one. The error is errNotLocked if another process holds the lock.
func (l rebuildLock) hold(ctx context.Context, db postgres.DB, kind string, rebuild func(ctx context.Context) error) error {
	conn, err := pgx.ConnectConfig(ctx, db.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("lock the rebuild: %w", postgres.Fault(err, postgres.Storing))
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()            // which releases the lock
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}) // without a snapshot between statements
	if err != nil {
		return fmt.Errorf("lock the rebuild: %w", postgres.Fault(err, postgres.Storing))
	}
	if err := setLocal(ctx, tx, noLockTimeout); err != nil {
		return fmt.Errorf("lock the rebuild: %w", postgres.Fault(err, postgres.Storing))
	}
	switch err := tx.QueryRow(ctx, string(l), kind).Scan(&kind); {
	case errors.Is(err, pgx.ErrNoRows):
		return errNotLocked
	case err != nil:
		return fmt.Errorf("lock the rebuild: %w", postgres.Fault(err, postgres.Storing))
	}
	return rebuild(ctx)
}

// due returns how often read models have been invalidated so far. The error is errNotLocked for
// the background worker if those of the kind are ready.
func (l rebuildLock) due(ctx context.Context, db postgres.DB, kind string) (invalidations int64, err error) {
	var isReady bool
	err = db.QueryRow(ctx, "select "+kind+"_ready, invalidations from read_model_state").Scan(&isReady, &invalidations)
	switch {
	case err != nil:
		return 0, fmt.Errorf("read the state of the read models: %w", postgres.Fault(err, postgres.Storing))
	case isReady && l == tryRebuildLock:
		return 0, errNotLocked
	}
	return invalidations, nil
}

// isRebuildUnlocked reports whether no process rebuilds read models of the kind, and none will
// begin before the transaction ends.
func isRebuildUnlocked(ctx context.Context, tx *postgres.Tx, kind string) (bool, error) {
	err := tx.QueryRow(ctx, string(tryRebuildLock), kind).Scan(&kind)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
