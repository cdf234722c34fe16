package pgsummary

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// A claim is the statement that locks the right to rebuild read models of a kind.
type claim string

const (
	// waitForClaim is the claim of an operator.
	waitForClaim claim = `
select kind
from read_model_rebuilds
where kind = $1
for update`
	// tryClaim is the claim of the background worker, which leaves the rebuild to the
	// process that does it already.
	tryClaim claim = waitForClaim + " skip locked"
)

// The kinds of read models that are rebuilt together.
const (
	listsKind  = "lists"
	searchKind = "search"
)

// errNotLocked means that another process does it, or that nothing is to be done.
var errNotLocked = errors.New("the read models are ready or locked")

// hold rebuilds while it holds the claim, on a connection of its own: the pool may have
// only one. The error is errNotLocked if another process holds the claim.
func (c claim) hold(ctx context.Context, db postgres.DB, kind string, rebuild func(ctx context.Context) error) error {
	conn, err := pgx.ConnectConfig(ctx, db.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("claim the rebuild: %w", postgres.Fault(err, postgres.Storing))
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()            // which gives the claim back
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}) // without a snapshot between statements
	if err != nil {
		return fmt.Errorf("claim the rebuild: %w", postgres.Fault(err, postgres.Storing))
	}
	if err := setLocal(ctx, tx, noLockTimeout); err != nil {
		return fmt.Errorf("claim the rebuild: %w", postgres.Fault(err, postgres.Storing))
	}
	switch err := tx.QueryRow(ctx, string(c), kind).Scan(&kind); {
	case errors.Is(err, pgx.ErrNoRows):
		return errNotLocked
	case err != nil:
		return fmt.Errorf("claim the rebuild: %w", postgres.Fault(err, postgres.Storing))
	}
	return rebuild(ctx)
}

// isUnclaimed reports whether no process rebuilds read models of the kind, and none will
// begin before the transaction ends.
func isUnclaimed(ctx context.Context, tx *postgres.Tx, kind string) (bool, error) {
	err := tx.QueryRow(ctx, string(tryClaim), kind).Scan(&kind)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}
