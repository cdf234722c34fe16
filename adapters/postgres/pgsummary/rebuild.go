package pgsummary

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// Rebuild computes every read model from the records again, in one transaction. Lists show what
// was there until it ends; those who change listed records wait for it. After an error the read
// models are as before.
func Rebuild(ctx context.Context, db *postgres.DB) error {
	_, err := rebuild(ctx, db, func(bool) bool { return true })
	return err
}

// rebuildIfDue is like Rebuild, if the read models are marked as not ready.
func rebuildIfDue(ctx context.Context, db *postgres.DB) (rebuilt bool, err error) {
	return rebuild(ctx, db, func(isReady bool) bool { return !isReady })
}

func rebuild(ctx context.Context, db *postgres.DB, isDue func(isReady bool) bool) (rebuilt bool, err error) {
	err = postgres.InTransaction(ctx, db, func(ctx context.Context, tx pgx.Tx) error {
		rebuilt = false
		if _, err := prepareBulk(ctx, tx); err != nil {
			return err
		}
		var isReady bool
		// No other process folds or rebuilds meanwhile.
		if err := tx.QueryRow(ctx, "select is_ready from read_model_state for update").Scan(&isReady); err != nil || !isDue(isReady) {
			return err
		}
		rebuilt = true
		return execAll(ctx, tx, rebuildStatements...)
	})
	if err != nil {
		return false, fmt.Errorf("rebuild the read models: %w", err)
	}
	return rebuilt, nil
}

var rebuildStatements = func() (all []string) {
	// The months of payment are part of what is counted. They come first: whoever has locked an
	// invoice may still have to lock the batch.
	all = append(all, correctPaidMonths, "lock table change_batches in exclusive mode")
	all = append(all, forLists("delete from {}")...)
	for _, r := range rollups {
		all = append(all, "delete from "+r.table, r.insert(records))
	}
	for _, l := range listdef.All {
		all = append(all, correctSearch(l), deleteOrphans(l))
	}
	return append(all, "update read_model_state set is_ready = true")
}()

// correctPaidMonths writes the months of payment that are wrong.
var correctPaidMonths = `update invoices
set paid_month = ` + listdef.Month("paid_on") + `
where paid_month is distinct from ` + listdef.Month("paid_on")

// correctSearch returns the statement that writes what is missing or differs in the search table.
func correctSearch(l *listdef.List) string {
	return fmt.Sprintf(`insert into %[1]s as k (id, created_at, text_key)
select r.id, r.%[3]s, %[4]s
from %[2]s r
left join %[1]s s on s.id = r.id
where s.id is null or s.text_key <> %[4]s or s.created_at <> r.%[3]s
on conflict (id) do update
set created_at = excluded.created_at, text_key = excluded.text_key`, l.Search, l.Table, l.CreatedAt, listdef.SearchKey("r."+l.TextKey))
}

func deleteOrphans(l *listdef.List) string {
	return `delete from ` + l.Search + ` s
where not exists (select from ` + l.Table + ` r where r.id = s.id)`
}

type transaction interface {
	querier
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

func execAll(ctx context.Context, tx transaction, statements ...string) error {
	for _, sql := range statements {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// prepareBulk sets up a transaction for statements over whole tables: the limits of a connection are
// meant for many requests at once. A nested loop is never the best join, and a scan of the table mostly
// is; tables that are not analyzed yet suggest it. It returns the time zone, which is that of the database.
func prepareBulk(ctx context.Context, tx transaction) (zone string, err error) {
	err = execAll(ctx, tx, noStatementTimeout, "set local lock_timeout = 0", "set local idle_in_transaction_session_timeout = 0",
		"set local work_mem = '64MB'", "set local enable_nestloop = off", "set local enable_seqscan = on", "set local jit = off")
	if err != nil {
		return "", err
	}
	return setDatabaseZone(ctx, tx)
}

// setDatabaseZone sets the transaction's time zone to that of the database, whatever that of
// the connection is, and returns it.
func setDatabaseZone(ctx context.Context, tx transaction) (zone string, err error) {
	err = tx.QueryRow(ctx, "select value from settings where name = 'timezone'").Scan(&zone)
	if errors.Is(err, pgx.ErrNoRows) {
		err = tx.QueryRow(ctx, "select current_setting('timezone')").Scan(&zone)
		return zone, err
	}
	if err != nil {
		return "", err
	}
	_, err = tx.Exec(ctx, "select set_config('timezone', $1, true)", zone)
	return zone, err
}
