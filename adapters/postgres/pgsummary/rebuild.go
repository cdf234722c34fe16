package pgsummary

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// Rebuild computes every read model from the records again, and marks all as ready. Reads and
// writes continue meanwhile, and what is written meanwhile is counted exactly once. After an
// error the read models are as before, and it can be called again.
func Rebuild(ctx context.Context, db postgres.DB) error {
	if err := rebuildLists(ctx, db, waitForRebuildLock); err != nil {
		return err
	}
	return rebuildSearch(ctx, db, waitForRebuildLock)
}

// rebuildLists rebuilds the rollups and the page index, in one process at a time. If they
// are marked as not ready meanwhile, it does so again. The background worker has nothing to
// do if they are ready by now.
func rebuildLists(ctx context.Context, db postgres.DB, by rebuildLock) error {
	return by.hold(ctx, db, listsKind, func(ctx context.Context) error {
		for {
			invalidations, err := by.due(ctx, db, listsKind)
			if err != nil {
				return err
			}
			// The months of payment are part of what is counted.
			if _, err := inChunks(ctx, db, listdef.Invoices.Table, correctPaidMonths); err != nil {
				return fmt.Errorf("correct the months of payment: %w", err)
			}
			if marked, err := stageAndReplace(ctx, db, invalidations); err != nil {
				return fmt.Errorf("rebuild the lists: %w", postgres.Fault(err, postgres.Storing))
			} else if marked {
				return vacuum(ctx, db, rebuiltTables...)
			}
		}
	})
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
	// statement over whole tables. For these a nested loop is never the best join, and a scan
	// of the table mostly is;
	// tables that are not analyzed yet suggest it. Where it is the only one, its penalty
	// must not have the statement compiled.
	bulkSettings = "set local work_mem = '64MB'; set local enable_nestloop = off; set local enable_seqscan = on; set local jit = off"
)

func setLocal(ctx context.Context, tx execer, settings ...string) error {
	all := strings.Join(append(settings, noStatementTimeout, "set local idle_in_transaction_session_timeout = 0"), "; ")
	for sql := range strings.SplitSeq(all, "; ") { // Citus passes the whole text on for each setting in it
		if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}

var rebuiltTables = func() []string {
	all := []string{listdef.PageIndex}
	for _, r := range rollups {
		all = append(all, r.table)
	}
	return all
}()

// vacuum vacuums and analyzes the tables. It cannot run in a transaction.
func vacuum(ctx context.Context, db postgres.DB, tables ...string) error {
	conn, err := db.Acquire(ctx)
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
