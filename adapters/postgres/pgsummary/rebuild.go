package pgsummary

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// Rebuild makes every model anew from the records, mends what is wrong, and says
// that the models are ready. Writers and readers go on meanwhile; what is noted
// while it runs is counted once. After an error the models are as ready as before,
// and it can be called again.
func Rebuild(ctx context.Context, pool *pgxpool.Pool) error {
	if err := rebuildLists(ctx, pool, waitingClaim); err != nil {
		return err
	}
	return rebuildSearch(ctx, pool)
}

// waitingClaim is claim for an operator, who wants it done whoever is at it.
const waitingClaim = `
select oldest_open_batch, oldest_retained_batch
from read_model_state
for update`

// unreadyClaim is claim for a background job, which has nothing to do if the
// models are ready or another one is at it.
const unreadyClaim = `
select oldest_open_batch, oldest_retained_batch
from read_model_state
where not lists_ready
for update skip locked`

// errUnclaimed says that there is no row to claim.
var errUnclaimed = errors.New("nothing to claim")

// rebuildLists rebuilds the totals, the counts and the page index.
func rebuildLists(ctx context.Context, pool *pgxpool.Pool, claim string) error {
	// The months are part of what is counted. They are put right before, in
	// pieces, since a transaction with an old snapshot may not touch a record that
	// a writer has changed.
	if _, err := inChunks(ctx, pool, "invoices", mendPaidMonths); err != nil {
		return fmt.Errorf("mend the months of payment: %w", err)
	}
	err := postgres.InTransaction(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set transaction isolation level repeatable read"); err != nil {
			return err
		}
		if err := setLocal(ctx, tx, patient, roomy); err != nil {
			return err
		}
		var firstOpen, firstKept int64
		if err := tx.QueryRow(ctx, claim).Scan(&firstOpen, &firstKept); err != nil {
			if errors.Is(err, pgx.ErrNoRows) {
				return errUnclaimed
			}
			return err
		}
		return refill(ctx, tx, firstOpen)
	})
	if err != nil {
		return fmt.Errorf("rebuild the lists: %w", err)
	}
	return tidy(ctx, pool, refilled...)
}

// Settings of one transaction, beside unhurried.
const (
	patient = "set local lock_timeout = 0"
	// The limits are made for many requests at once, and this is one of few. What
	// is joined here is whole tables: to look up row by row is never better, and
	// tables that are not analyzed yet suggest it. Where it is the only way, the
	// planner's horror of it must not have the statement compiled.
	roomy = "set local work_mem = '64MB'; set local enable_nestloop = off; set local jit = off"
)

func setLocal(ctx context.Context, tx pgx.Tx, settings ...string) error {
	for _, sql := range append(settings, unhurried, "set local idle_in_transaction_session_timeout = 0") {
		if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}

// refill makes the models what they were before the batch. Totals that were
// counted before are not to be carried forward, as the models may have been
// wrong: no rows are kept for them.
func refill(ctx context.Context, tx pgx.Tx, firstOpen int64) error {
	for _, f := range allFigures {
		if _, err := tx.Exec(ctx, f.refill(), firstOpen); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "delete from page_index"); err != nil {
		return err
	}
	for _, l := range cutLists {
		if _, err := tx.Exec(ctx, l.setMilestones()); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, l.addMilestones(unnoted), firstOpen); err != nil {
			return err
		}
	}
	for _, l := range lists {
		if _, err := tx.Exec(ctx, "delete from "+l.changes+" where batch_id < $1", firstOpen); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, "update read_model_state set lists_ready = true, oldest_retained_batch = oldest_open_batch")
	return err
}

// refilled are the tables that rebuildLists fills.
var refilled = func() []string {
	all := []string{"page_index"}
	for _, f := range allFigures {
		all = append(all, f.table)
	}
	return all
}()

// tidy lets the database know what is in the tables. It cannot run in a
// transaction.
func tidy(ctx context.Context, pool *pgxpool.Pool, tables ...string) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("take a connection: %w", postgres.Fault(err, postgres.Storing))
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "set statement_timeout = 0"); err != nil {
		return fmt.Errorf("lift the limit of a statement: %w", err)
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
