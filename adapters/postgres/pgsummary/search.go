package pgsummary

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
)

// rebuildSearch makes the search tables what the records say, in one process at a time.
// If they are marked as not ready meanwhile, it does so again. The background worker has
// nothing to do if they are ready by now.
func rebuildSearch(ctx context.Context, db postgres.DB, by rebuildLock) error {
	return by.hold(ctx, db, searchKind, func(ctx context.Context) error {
		for {
			invalidations, err := by.due(ctx, db, searchKind)
			if err != nil {
				return err
			}
			if err := rebuildSearchTables(ctx, db); err != nil {
				return err
			}
			if marked, err := markSearchReady(ctx, db, invalidations); marked || err != nil {
				return err
			}
		}
	})
}

// rebuildSearchTables rebuilds two tables at a time: the work is done by the database, on
// a processor for each.
func rebuildSearchTables(ctx context.Context, db postgres.DB) error {
	waiting := make(chan *listdef.List, len(listdef.All))
	for _, l := range slices.Backward(listdef.All) { // invoices, mostly the longest, first
		waiting <- l
	}
	close(waiting)
	var workers sync.WaitGroup
	var failures [2]error
	for i := range failures {
		workers.Go(func() {
			for l := range waiting {
				if failures[i] = rebuildSearchTable(ctx, db, l); failures[i] != nil {
					return
				}
			}
		})
	}
	workers.Wait()
	return errors.Join(failures[:]...)
}

// markSearchReady marks the search tables as ready, unless read models were invalidated
// since the rebuild began. Match counts that readers have cached may be based on wrong
// texts: the position gets a new token, and earlier ones are forgotten.
func markSearchReady(ctx context.Context, db postgres.DB, invalidations int64) (marked bool, err error) {
	err = postgres.InTransaction(ctx, db, func(ctx context.Context, tx *postgres.Tx) error {
		marked = false
		if err := setLocal(ctx, tx, noLockTimeout); err != nil {
			return err
		}
		var open int64
		err := tx.QueryRow(ctx, `
update read_model_state
set search_ready = true
where invalidations = $1
returning oldest_open_batch`, invalidations).Scan(&open)
		if err != nil {
			return ignoreNoRows(err)
		}
		marked = true
		b := &pgx.Batch{}
		b.Queue("delete from read_model_positions")
		b.Queue(insertPosition, open)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return false, fmt.Errorf("mark the search tables as ready: %w", err)
	}
	return marked, nil
}

func rebuildSearchTable(ctx context.Context, db postgres.DB, l *listdef.List) error {
	corrected, err := inChunks(ctx, db, l.Table, correctSearchKeys(l))
	if err != nil {
		return fmt.Errorf("rebuild %s: %w", l.Search, err)
	}
	removed, err := removeOrphans(ctx, db, l)
	if err != nil {
		return fmt.Errorf("rebuild %s: %w", l.Search, err)
	}
	if corrected+removed == 0 {
		return nil
	}
	return vacuum(ctx, db, l.Search)
}

// correctSearchKeys returns the statement that writes the search keys that are missing or
// differ, of the records with ids above $1 up to $2. Only writers of those records wait: a
// writer of another record changes its search key in the same transaction.
func correctSearchKeys(l *listdef.List) string {
	wrong := `select r.id
from ` + l.Table + ` r
left join ` + l.Search + ` s on s.id = r.id and s.id > $1 and s.id <= $2
where r.id > $1 and r.id <= $2 and s.text_key is distinct from r.` + l.SearchKey
	locked := `select id, ` + l.SearchKey + ` as text_key
from ` + l.Table + `
where id in (select id from wrong)
order by id
for share`
	return with(cte{"wrong as", wrong}, cte{"locked as", locked}) + `insert into ` + l.Search + ` as k (id, text_key)
select id, text_key
from locked
on conflict (id) do update
set text_key = excluded.text_key
where k.text_key <> excluded.text_key`
}

func deleteOrphans(l *listdef.List) string {
	return `delete from ` + l.Search + ` s
where not exists (select from ` + l.Table + ` r where r.id = s.id)`
}

func removeOrphans(ctx context.Context, db postgres.DB, l *listdef.List) (n int64, err error) {
	err = postgres.InTransaction(ctx, db, func(ctx context.Context, tx *postgres.Tx) error {
		if err := setLocal(ctx, tx, bulkSettings); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, deleteOrphans(l))
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// cleanPendingLists moves new search keys of the lists from the pending lists of the indexes into
// the indexes proper: every search scans the pending list.
func cleanPendingLists(ctx context.Context, db postgres.DB, of []*listdef.List) error {
	if len(of) == 0 {
		return nil
	}
	err := postgres.InTransaction(ctx, db, func(ctx context.Context, tx *postgres.Tx) error {
		batch := &pgx.Batch{}
		for _, l := range of {
			batch.Queue("select gin_clean_pending_list('" + tx.Index(l.Search, l.SearchIndex()) + "')")
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("clean the pending lists: %w", err)
	}
	return nil
}

// chunk is how many records one transaction looks at. Writers of those that it
// corrects wait until it ends.
const chunk = 5000

// inChunks runs the statement for all records of the table, by ids, and returns how
// many rows it changed.
func inChunks(ctx context.Context, db postgres.DB, table, statement string) (changed int64, err error) {
	for after := int64(0); ; {
		var upTo *int64
		var n int64
		err := postgres.InTransaction(ctx, db, func(ctx context.Context, tx *postgres.Tx) error {
			if err := setLocal(ctx, tx, bulkIndexSettings); err != nil {
				return err
			}
			if _, err := setDatabaseZone(ctx, tx); err != nil {
				return err
			}
			err := tx.QueryRow(ctx, `
select max(id)
from (select id from `+table+` where id > $1 order by id limit $2) c`, after, chunk).Scan(&upTo)
			if err != nil || upTo == nil {
				return err
			}
			tag, err := tx.Exec(ctx, statement, after, *upTo)
			n = tag.RowsAffected()
			return err
		})
		if err != nil {
			return changed, err
		}
		if upTo == nil {
			return changed, nil
		}
		changed += n
		after = *upTo
	}
}

// setDatabaseZone sets the transaction's time zone to that of the database, whatever that of
// the connection is, and returns it. The server that has the table of settings may be another
// than the one whose setting it is.
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

// bulkIndexSettings has the text indexes take in many rows at once, which costs a
// fraction.
const bulkIndexSettings = "set local gin_pending_list_limit = '64MB'; set local maintenance_work_mem = '128MB'"
