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

// staged returns the table in which a table of the read models is rebuilt. It exists during
// a rebuild only, and is not written to the log of the database.
func staged(table string) string { return "staged_" + table }

// errNotRetained is the error of a rebuild that took longer than the changes since its
// snapshot were retained. Folding retains them while a rebuild holds its lock, unless a
// program of an earlier version folds.
var errNotRetained = errors.New("changes since the rebuild began are not retained: is an earlier version of the program running? Try again later")

// stageAndReplace rebuilds the rollups and the page index and marks them as ready, unless
// read models were invalidated since the count was read. It removes the staged tables, also
// those of a process that was killed.
func stageAndReplace(ctx context.Context, db postgres.DB, invalidations int64) (marked bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, db.Config().ConnConfig)
	if err != nil {
		return false, fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := execAll(ctx, conn, append([]string{dropStaged}, createStatements...)); err != nil {
		return false, fmt.Errorf("create the staged tables: %w", err)
	}
	defer func() {
		if _, dropErr := conn.Exec(context.WithoutCancel(ctx), dropStaged); err == nil && dropErr != nil {
			err = fmt.Errorf("drop the staged tables: %w", dropErr)
		}
	}()
	var position int64
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		position, err = stage(ctx, tx)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("stage: %w", err)
	}
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		marked, err = replaceByStaged(ctx, tx, position, invalidations)
		return err
	})
	return marked, err
}

// stage fills the staged tables with what the rollups and the page index were before the
// position, the oldest open batch of its snapshot. It locks nothing: changes are folded
// meanwhile.
func stage(ctx context.Context, tx pgx.Tx) (position int64, err error) {
	if err := setLocal(ctx, tx, noLockTimeout, bulkSettings); err != nil {
		return 0, err
	}
	if err := tx.QueryRow(ctx, "select oldest_open_batch from read_model_state").Scan(&position); err != nil {
		return 0, err
	}
	if err := execAll(ctx, tx, fillStatements); err != nil {
		return 0, err
	}
	if err := execAll(ctx, tx, stageStatements, position); err != nil {
		return 0, err
	}
	return position, execAll(ctx, tx, analyzeStatements)
}

// replaceByStaged adds what has been folded since the position to the staged tables, and
// makes the read models equal to them. Nothing is folded meanwhile.
func replaceByStaged(ctx context.Context, tx pgx.Tx, position, invalidations int64) (marked bool, err error) {
	if err := setLocal(ctx, tx, noLockTimeout, bulkSettings); err != nil {
		return false, err
	}
	var open, retained, invalidated int64
	err = tx.QueryRow(ctx, `
select oldest_open_batch, oldest_retained_batch, invalidations
from read_model_state
for update`).Scan(&open, &retained, &invalidated)
	switch {
	case err != nil:
		return false, err
	case invalidated != invalidations:
		return false, nil
	case retained > position:
		return false, errNotRetained
	}
	if err := execAll(ctx, tx, catchUpStatements, position, open); err != nil {
		return false, err
	}
	if err := execAll(ctx, tx, replaceStatements); err != nil {
		return false, err
	}
	return true, execAll(ctx, tx, forgetStatements, open)
}

var createStatements = func() (all []string) {
	for _, table := range rebuiltTables {
		all = append(all, "create unlogged table "+staged(table)+" (like "+table+" including indexes)")
	}
	return all
}()

var dropStaged = func() string {
	var all []string
	for _, table := range rebuiltTables {
		all = append(all, staged(table))
	}
	return "drop table if exists " + commas(all)
}()

var fillStatements = func() (all []string) {
	for _, p := range stagedPageIndexes {
		all = append(all, p.fill())
	}
	return all
}()

// stageStatements fill the staged tables with what was before the batch $1.
var stageStatements = func() (all []string) {
	for _, r := range rollups {
		all = append(all, r.stage())
	}
	for _, p := range stagedPageIndexes {
		all = append(all, p.add(openReverted))
	}
	return all
}()

var analyzeStatements = func() (all []string) {
	for _, table := range rebuiltTables {
		all = append(all, "analyze "+staged(table))
	}
	return all
}()

// catchUpStatements add the batches from $1 up to $2 to the staged tables.
var catchUpStatements = func() (all []string) {
	for _, r := range rollups {
		all = append(all, r.add(staged(r.table), batchesUpTo))
	}
	for _, p := range stagedPageIndexes {
		all = append(all, p.add(batchesUpTo))
	}
	return all
}()

// replaceStatements make the read models equal to the staged tables, and mark them as ready.
var replaceStatements = func() (all []string) {
	for _, r := range rollups {
		all = append(all, r.replace())
	}
	const columns = "list, created_at, id, record_count"
	return append(all,
		"delete from "+listdef.PageIndex,
		"insert into "+listdef.PageIndex+" ("+columns+") select "+columns+" from "+staged(listdef.PageIndex),
		"update read_model_state set lists_ready = true, oldest_retained_batch = oldest_open_batch",
		"delete from read_model_positions",
	)
}()

// forgetStatements remove the changes before the batch $1, the oldest that is open, which
// gets a new token: match counts that readers have cached may be based on wrong read models.
var forgetStatements = func() (all []string) {
	for _, l := range listdef.All {
		all = append(all, "delete from "+l.Changes+" where batch_id < $1")
	}
	return append(all, insertPosition)
}()

// execer is a connection or a transaction of either kind.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// transaction is one of either kind.
type transaction interface {
	execer
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func execAll(ctx context.Context, on execer, statements []string, args ...any) error {
	for _, sql := range statements {
		if _, err := on.Exec(ctx, sql, args...); err != nil {
			return err
		}
	}
	return nil
}
