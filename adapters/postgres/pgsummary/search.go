package pgsummary

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// rebuildSearch makes the texts that lists are searched by the same as those of
// the records, two lists at a time: it is the database that works, on a
// processor for each.
func rebuildSearch(ctx context.Context, pool *pgxpool.Pool) error {
	waiting := make(chan list, len(lists))
	for _, l := range []list{invoices, deals, clients, offers, contracts} { // the longest first
		waiting <- l
	}
	close(waiting)
	var workers sync.WaitGroup
	var failures [2]error
	for i := range failures {
		workers.Go(func() {
			for l := range waiting {
				if failures[i] = l.rebuildTexts(ctx, pool); failures[i] != nil {
					return
				}
			}
		})
	}
	workers.Wait()
	if err := errors.Join(failures[:]...); err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, "update read_model_state set search_ready = true"); err != nil {
		return fmt.Errorf("tell that the search is ready: %w", postgres.Fault(err, postgres.Storing))
	}
	return nil
}

func (l list) rebuildTexts(ctx context.Context, pool *pgxpool.Pool) error {
	mended, err := inChunks(ctx, pool, l.name, l.mendTexts())
	if err != nil {
		return fmt.Errorf("rebuild %s: %w", l.search, err)
	}
	orphans, err := removeOrphans(ctx, pool, l)
	if err != nil {
		return fmt.Errorf("rebuild %s: %w", l.search, err)
	}
	if mended+orphans == 0 {
		return nil
	}
	return tidy(ctx, pool, l.search)
}

// chunk is how many records one transaction looks at. It keeps writers off those
// that it mends, for as long as it takes.
const chunk = 5000

// mendPaidMonths writes the months that are wrong, of the invoices behind id $1
// up to $2.
const mendPaidMonths = `
update invoices
set paid_month = ` + paidMonth + `
where id > $1 and id <= $2 and paid_month is distinct from ` + paidMonth

// paidMonth is the month in which an invoice was paid, in the session's zone.
const paidMonth = `(extract(year from paid_on) * 12 + extract(month from paid_on) - 1)::integer`

// mendTexts writes the texts that are missing or differ, of the records behind id
// $1 up to $2. A writer is kept off those records only: who changes another one
// changes its text in the same transaction.
func (l list) mendTexts() string {
	return `
with wrong as (
    select r.id
    from ` + l.name + ` r
    left join ` + l.search + ` s on s.id = r.id and s.id > $1 and s.id <= $2
    where r.id > $1 and r.id <= $2 and s.text_key is distinct from r.` + l.key + `
), held as (
    select id, ` + l.key + ` as text_key
    from ` + l.name + `
    where id in (select id from wrong)
    order by id
    for share
)
insert into ` + l.search + ` (id, text_key)
select id, text_key
from held
on conflict (id) do update
set text_key = excluded.text_key
where ` + l.search + `.text_key <> excluded.text_key`
}

// fileTexts moves new texts from where the indexes gather them to their places:
// every search reads through those that are gathered.
func fileTexts(ctx context.Context, pool *pgxpool.Pool) error {
	batch := &pgx.Batch{}
	for _, l := range lists {
		batch.Queue("select gin_clean_pending_list('" + l.search + "_by_text')")
	}
	if err := pool.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("file new texts: %w", postgres.Fault(err, postgres.Storing))
	}
	return nil
}

func removeOrphans(ctx context.Context, pool *pgxpool.Pool, l list) (n int64, err error) {
	err = postgres.InTransaction(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
		if err := setLocal(ctx, tx, roomy); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
delete from `+l.search+` s
where not exists (select from `+l.name+` r where r.id = s.id)`)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// inChunks runs the statement for all records of the table, by ids, and returns
// how many rows it changed.
func inChunks(ctx context.Context, pool *pgxpool.Pool, table, statement string) (changed int64, err error) {
	for after := int64(0); ; {
		var upTo *int64
		var n int64
		err := postgres.InTransaction(ctx, pool, func(ctx context.Context, tx pgx.Tx) error {
			if err := setLocal(ctx, tx, zoned, pendingTexts); err != nil {
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

// zoned has the transaction count in the zone that the database is kept in,
// whatever that of the connection is.
const zoned = `
select set_config('timezone', value, true)
from settings
where name = 'timezone'`

// pendingTexts has the indexes of texts take in many rows at once, which costs
// a fraction.
const pendingTexts = "set local gin_pending_list_limit = '64MB'; set local maintenance_work_mem = '128MB'"
