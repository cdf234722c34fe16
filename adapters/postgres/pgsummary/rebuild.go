package pgsummary

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// Rebuild makes every read model what the records say, and marks all as ready. Writers
// and readers go on meanwhile; what is written while it runs is counted once. After an
// error the read models are as ready as before, and it can be called again.
func Rebuild(ctx context.Context, pool *pgxpool.Pool) error {
	if err := rebuildLists(ctx, pool, waitForClaim, waitForState); err != nil {
		return err
	}
	return rebuildSearch(ctx, pool, waitForClaim)
}

// waitForState is lockState for an operator: it waits for the lock.
const waitForState = `
select oldest_open_batch, oldest_retained_batch
from read_model_state
for update`

// lockUnreadyState is lockState for the background worker, which has nothing to do if
// the rollups are ready or another process rebuilds them.
const lockUnreadyState = `
select oldest_open_batch, oldest_retained_batch
from read_model_state
where not lists_ready
for update skip locked`

// rebuildLists rebuilds the rollups and the page index, in one process at a time.
func rebuildLists(ctx context.Context, pool *pgxpool.Pool, by claim, lock string) error {
	return by.hold(ctx, pool, "lists", func(ctx context.Context) error { return rebuildClaimedLists(ctx, pool, lock) })
}

func rebuildClaimedLists(ctx context.Context, pool *pgxpool.Pool, lock string) error {
	// The months of payment are part of what is counted. They are corrected before, in
	// chunks: a transaction with an old snapshot may not touch a record that a writer
	// has changed since.
	if _, err := inChunks(ctx, pool, listdef.Invoices.Table, correctPaidMonths); err != nil {
		return fmt.Errorf("correct the months of payment: %w", err)
	}
	err := postgres.InTransaction(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set transaction isolation level repeatable read"); err != nil {
			return err
		}
		if err := setLocal(ctx, tx, noLockTimeout, bulkSettings); err != nil {
			return err
		}
		var open, retained int64
		if err := tx.QueryRow(ctx, lock).Scan(&open, &retained); err != nil {
			if errors.Is(err, pgx.ErrNoRows) {
				return errNotLocked
			}
			return err
		}
		return rebuildBefore(ctx, tx, open)
	})
	if err != nil {
		return fmt.Errorf("rebuild the lists: %w", err)
	}
	return vacuum(ctx, pool, rebuiltTables...)
}

// correctPaidMonths writes the months of payment that are wrong, of the invoices with
// ids above $1 up to $2.
var correctPaidMonths = `update invoices
set paid_month = ` + paidMonth + `
where id > $1 and id <= $2 and paid_month is distinct from ` + paidMonth

var paidMonth = listdef.Month("paid_on")

// Settings of one transaction, beside noStatementTimeout.
const (
	noLockTimeout = "set local lock_timeout = 0"
	// The limits of a connection are meant for many requests at once; this is one
	// statement over whole tables. For these a nested loop is never the best join, and
	// tables that are not analyzed yet suggest it. Where it is the only one, its penalty
	// must not have the statement compiled.
	bulkSettings = "set local work_mem = '64MB'; set local enable_nestloop = off; set local jit = off"
)

func setLocal(ctx context.Context, tx pgx.Tx, settings ...string) error {
	for _, sql := range append(settings, noStatementTimeout, "set local idle_in_transaction_session_timeout = 0") {
		if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}

// rebuildBefore makes the rollups and the page index what they were before the batch.
// Match counts that readers have cached may be based on wrong read models: the position
// gets a new token, and no changes before it are retained.
func rebuildBefore(ctx context.Context, tx pgx.Tx, open int64) error {
	for _, s := range rebuildStatements {
		var args []any
		if s.fromBatch {
			args = []any{open}
		}
		if _, err := tx.Exec(ctx, s.sql, args...); err != nil {
			return err
		}
	}
	return nil
}

// rebuildStatement is one step of a rebuild.
type rebuildStatement struct {
	sql       string
	fromBatch bool // $1 is the oldest open batch
}

var rebuildStatements = func() (all []rebuildStatement) {
	for _, r := range rollups {
		all = append(all, rebuildStatement{r.rebuild(), true})
	}
	all = append(all, rebuildStatement{sql: "delete from page_index"})
	for _, p := range pageIndexes {
		all = append(all, rebuildStatement{sql: p.fill()}, rebuildStatement{p.add(openReverted), true})
	}
	for _, l := range listdef.All {
		all = append(all, rebuildStatement{"delete from " + l.Changes + " where batch_id < $1", true})
	}
	return append(all,
		rebuildStatement{sql: "update read_model_state set lists_ready = true, oldest_retained_batch = oldest_open_batch"},
		rebuildStatement{sql: "delete from read_model_positions"},
		rebuildStatement{insertPosition, true})
}()

// rebuiltTables are the tables that rebuildLists writes.
var rebuiltTables = func() []string {
	all := []string{listdef.PageIndex}
	for _, r := range rollups {
		all = append(all, r.table)
	}
	return all
}()

// vacuum vacuums and analyzes the tables. It cannot run in a transaction.
func vacuum(ctx context.Context, pool *pgxpool.Pool, tables ...string) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("acquire a connection: %w", postgres.Fault(err, postgres.Storing))
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "set statement_timeout = 0"); err != nil {
		return fmt.Errorf("lift the statement timeout: %w", err)
	}
	for _, table := range tables {
		if _, err = conn.Exec(ctx, "vacuum (analyze) "+table); err != nil {
			err = fmt.Errorf("analyze %s: %w", table, postgres.Fault(err, postgres.Storing))
			break
		}
	}
	_, resetErr := conn.Exec(context.WithoutCancel(ctx), "reset statement_timeout")
	return errors.Join(err, resetErr)
}
