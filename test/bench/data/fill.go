package data

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/ports/repository"
)

// ErrNotEmpty is the error for a database with a table in it.
var ErrNotEmpty = errors.New("the database is not empty: name one without any table")

// Fill migrates an empty database and fills it, over that many connections. It calls progress
// at the beginning of each stage. The error is ErrNotEmpty for a database with any table in it,
// which is not touched. After any other error the database is unusable.
func Fill(ctx context.Context, databaseURL string, o Options, connections int, progress func(stage string)) error {
	company, err := New(o)
	if err != nil {
		return err
	}
	config := bootstrap.Defaults(databaseURL)
	if err := config.Validate(); err != nil {
		return err
	}
	if err := checkEmpty(ctx, databaseURL); err != nil {
		return err
	}
	if err := bootstrap.Migrate(ctx, config); err != nil {
		return err
	}
	var indexes []string
	// Commits need not wait for the disk: after a crash the database is filled again.
	err = withPool(ctx, config, connections, "off", func(pool *pgxpool.Pool) error {
		if indexes, err = dropIndexes(ctx, pool); err != nil {
			return err
		}
		return company.store(ctx, pool, connections, progress)
	})
	if err != nil {
		return err
	}
	// These wait, and so for all before: for a vacuum, rows with an asynchronous
	// commit in progress are not visible to all.
	return withPool(ctx, config, connections, "on", func(pool *pgxpool.Pool) error {
		return finish(ctx, pool, indexes, connections, progress)
	})
}

// dropIndexes drops the indexes that are not those of constraints, and returns the statements that
// create them: at the end, at once, that takes a fraction of the time.
func dropIndexes(ctx context.Context, pool *pgxpool.Pool) (create []string, err error) {
	rows, err := pool.Query(ctx, `
select indexname, indexdef
from pg_indexes i
where schemaname = current_schema and not exists (select from pg_constraint c where c.conname = i.indexname)`)
	if err != nil {
		return nil, fmt.Errorf("list the indexes: %w", err)
	}
	var drop []string
	var name, definition string
	_, err = pgx.ForEachRow(rows, []any{&name, &definition}, func() error {
		drop, create = append(drop, "drop index "+name), append(create, definition)
		return nil
	})
	for _, sql := range drop {
		if err == nil {
			_, err = pool.Exec(ctx, sql)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("drop the indexes: %w", err)
	}
	return create, nil
}

func createIndexes(ctx context.Context, pool *pgxpool.Pool, indexes []string, connections int) error {
	return parallel(ctx, connections, indexes, func(ctx context.Context, sql string) error {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("create an index: %w", err)
		}
		return nil
	})
}

// checkEmpty returns ErrNotEmpty for a database with any table in it.
func checkEmpty(ctx context.Context, databaseURL string) error {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var filled bool
	err = conn.QueryRow(ctx, "select exists (select from pg_tables where schemaname = current_schema)").Scan(&filled)
	if err == nil && filled {
		err = ErrNotEmpty
	}
	return err
}

// parallel calls do for all items by several workers, until one call fails, and returns its error.
func parallel[T any](ctx context.Context, workers int, items []T, do func(context.Context, T) error) error {
	running, ctx := errgroup.WithContext(ctx)
	running.SetLimit(workers)
	for _, item := range items {
		running.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return do(ctx, item)
		})
	}
	return running.Wait()
}

// withPool uses a pool in the service's zone; wait is its synchronous_commit.
func withPool(ctx context.Context, of bootstrap.Config, connections int, wait string, use func(*pgxpool.Pool) error) error {
	config, err := pgxpool.ParseConfig(of.DatabaseURL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	config.MaxConns = int32(connections)
	config.ConnConfig.RuntimeParams["timezone"] = of.TimeZone
	config.ConnConfig.RuntimeParams["synchronous_commit"] = wait
	config.ConnConfig.RuntimeParams["maintenance_work_mem"] = "256MB"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("make the connection pool: %w", err)
	}
	defer pool.Close()
	return use(pool)
}

// store fills a migrated database. The read models are built at the end, and
// marked as not ready until then.
func (b *Company) store(ctx context.Context, pool *pgxpool.Pool, connections int, progress func(stage string)) error {
	if _, err := pool.Exec(ctx, "update read_model_state set is_ready = false"); err != nil {
		return fmt.Errorf("mark the read models as not ready: %w", err)
	}
	if err := b.addLists(ctx, pgstore.NewTx(pool, nil)); err != nil {
		return err
	}
	for _, stage := range b.stages() {
		progress(stage.name)
		if err := stage.store(ctx, pool, b.chunks(), connections); err != nil {
			return err
		}
	}
	return nil
}

// addLists stores the referenced records in the order of their ids.
func (b *Company) addLists(ctx context.Context, tx repository.Tx) error {
	meta := repository.Meta{At: b.opened()}
	err := tx.Do(ctx, meta, func(ctx context.Context, s repository.Stores) error {
		for _, add := range []func() error{
			func() error { return addAll(ctx, b.users, s.Users.Add) },
			func() error { return addAll(ctx, b.statuses, s.Statuses.Add) },
			func() error { return addAll(ctx, b.dealTypes, s.DealTypes.Add) },
			func() error { return addAll(ctx, b.invoiceTypes, s.InvoiceTypes.Add) },
			func() error { return addAll(ctx, b.performers, s.Performers.Add) },
		} {
			if err := add(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("add the reference lists: %w", err)
	}
	return nil
}

// addAll stores records and checks that their ids are their places.
func addAll[R any, ID ~int64](ctx context.Context, records []R, add func(context.Context, R) (ID, error)) error {
	for i, r := range records {
		id, err := add(ctx, r)
		if err != nil {
			return err
		}
		if id != ID(i+1) {
			return fmt.Errorf("record %d of a list has the id %d", i+1, id)
		}
	}
	return nil
}

// store copies all chunks of a stage.
func (s stage) store(ctx context.Context, pool *pgxpool.Pool, chunks []chunk, connections int) error {
	return parallel(ctx, connections, chunks, func(ctx context.Context, p chunk) error {
		tables, err := s.tables(p)
		if err != nil {
			return err
		}
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			for _, table := range tables {
				if err := table.copyTo(ctx, tx); err != nil {
					return fmt.Errorf("copy into %s: %w", table.table, err)
				}
			}
			return nil
		})
	})
}

func (s tableRows) copyTo(ctx context.Context, tx pgx.Tx) error {
	next, stop := iter.Pull2(s.rows)
	defer stop()
	_, err := tx.CopyFrom(ctx, pgx.Identifier{s.table}, columns[s.table], pgx.CopyFromFunc(func() ([]any, error) {
		r, err, more := next()
		if !more {
			return nil, nil
		}
		return r, err
	}))
	return err
}

// models are the read models.
var models = []string{
	"client_totals", "deal_totals", "invoice_totals", "client_counts",
	"client_search", "deal_search", "offer_search", "contract_search", "invoice_search",
	"client_changes", "deal_changes", "offer_changes", "contract_changes", "invoice_changes", "change_batches", "read_model_state",
}

// finish sets the sequences, builds the read models and the indexes, and vacuums and analyzes all
// tables.
func finish(ctx context.Context, pool *pgxpool.Pool, indexes []string, connections int, progress func(stage string)) error {
	for table := range columns {
		_, err := pool.Exec(ctx, fmt.Sprintf("select setval(pg_get_serial_sequence('%[1]s', 'id'), max(id)) from %[1]s", table))
		if err != nil {
			return fmt.Errorf("set the sequence of %s: %w", table, err)
		}
	}
	records := []string{
		"invoice_lines", "deal_history", "invoices", "deals", "contacts", "clients", "offers", "contracts",
		"users", "statuses", "deal_types", "invoice_types", "performers",
	}
	progress("read models")
	if err := pgsummary.Rebuild(ctx, pool); err != nil {
		return err
	}
	progress("indexes")
	if err := createIndexes(ctx, pool, indexes, connections); err != nil {
		return err
	}
	progress("statistics")
	return vacuum(ctx, pool, slices.Concat(records, models), connections)
}

// vacuum also empties the pending lists of the trigram indexes.
func vacuum(ctx context.Context, pool *pgxpool.Pool, tables []string, connections int) error {
	return parallel(ctx, connections, tables, func(ctx context.Context, table string) error {
		if _, err := pool.Exec(ctx, "vacuum (analyze) "+table); err != nil {
			return fmt.Errorf("analyze %s: %w", table, err)
		}
		return nil
	})
}
