package data

import (
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/replay"
)

// ErrNotEmpty is the error of a database that has something in it.
var ErrNotEmpty = replay.ErrNotEmpty

// Progress is told of each stage and how many rows it has. It returns what is
// then told, by several goroutines, how many more are stored.
type Progress func(stage string, rows int) (done func(int))

// Fill makes an empty database Kontor's and fills it, over that many
// connections. A database with any table in it is left alone: the error is
// ErrNotEmpty. After any other error the database is of no use.
func Fill(ctx context.Context, databaseURL string, o Options, connections int, progress Progress) error {
	books, err := New(o)
	if err != nil {
		return err
	}
	config := bootstrap.Defaults(databaseURL)
	if err := config.Validate(); err != nil {
		return err
	}
	if err := replay.CheckEmpty(ctx, databaseURL); err != nil {
		return err
	}
	if err := bootstrap.Migrate(ctx, config); err != nil {
		return err
	}
	// A commit that waits for the disk only costs time: what a crash takes away
	// is filled again.
	err = withPool(ctx, config, connections, "off", func(pool *pgxpool.Pool) error {
		return books.store(ctx, pool, connections, progress)
	})
	if err != nil {
		return err
	}
	// Here it does wait, and so for all before it: a vacuum takes no row to be
	// visible to all whose commit is still on its way.
	return withPool(ctx, config, connections, "on", func(pool *pgxpool.Pool) error {
		return finish(ctx, pool, connections, progress)
	})
}

// withPool uses a pool in the service's zone whose commits wait for the disk as
// said.
func withPool(ctx context.Context, of bootstrap.Config, connections int, wait string, use func(*pgxpool.Pool) error) error {
	config, err := pgxpool.ParseConfig(of.DatabaseURL)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	config.MaxConns = int32(connections)
	config.ConnConfig.RuntimeParams["timezone"] = of.TimeZone
	config.ConnConfig.RuntimeParams["synchronous_commit"] = wait
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("make the connection pool: %w", err)
	}
	defer pool.Close()
	return use(pool)
}

// store fills a database that is migrated. What lists are read from is left for
// the end, and a service that would start before then is told so.
func (b *Books) store(ctx context.Context, pool *pgxpool.Pool, connections int, progress Progress) error {
	if _, err := pool.Exec(ctx, "update read_model_state set lists_ready = false, search_ready = false"); err != nil {
		return fmt.Errorf("put the read models aside: %w", err)
	}
	if err := b.addLists(ctx, pgstore.NewTx(pool, nil)); err != nil {
		return err
	}
	for _, stage := range b.stages() {
		if err := stage.store(ctx, pool, b.parts(), connections, progress); err != nil {
			return err
		}
	}
	return nil
}

// addLists stores the records that all others refer to, in the order of their
// ids.
func (b *Books) addLists(ctx context.Context, tx repository.Tx) error {
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

// addAll stores records and holds their ids against their places.
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

// store copies all parts of a stage.
func (s stage) store(ctx context.Context, pool *pgxpool.Pool, parts []part, connections int, progress Progress) error {
	done := progress(s.name, int(s.rows))
	return replay.Parallel(ctx, connections, parts, func(ctx context.Context, p part) error {
		sheets, err := s.sheets(p)
		if err != nil {
			return err
		}
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			for _, sheet := range sheets {
				stored, err := sheet.copyTo(ctx, tx)
				if err != nil {
					return fmt.Errorf("copy into %s: %w", sheet.table, err)
				}
				done(int(stored))
			}
			return nil
		})
	})
}

func (s sheet) copyTo(ctx context.Context, tx pgx.Tx) (stored int64, err error) {
	next, stop := iter.Pull2(s.rows)
	defer stop()
	return tx.CopyFrom(ctx, pgx.Identifier{s.table}, columns[s.table], pgx.CopyFromFunc(func() ([]any, error) {
		r, err, more := next()
		if !more {
			return nil, nil
		}
		return r, err
	}))
}

// models are the tables that follow from the others.
var models = []string{
	"client_totals", "deal_totals", "invoice_totals", "page_index", "client_counts",
	"client_search", "deal_search", "offer_search", "contract_search", "invoice_search",
	"client_changes", "deal_changes", "offer_changes", "contract_changes", "invoice_changes", "change_batches", "read_model_state",
}

// finish has the database number new rows behind these, make what lists are read
// from, and know what is in the tables and that all of it can be seen.
func finish(ctx context.Context, pool *pgxpool.Pool, connections int, progress Progress) error {
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
	if err := vacuum(ctx, pool, records, connections, progress("statistics", len(records))); err != nil {
		return err
	}
	done := progress("read models", 1+len(models))
	if err := pgsummary.Rebuild(ctx, pool); err != nil {
		return err
	}
	done(1)
	return vacuum(ctx, pool, models, connections, done)
}

// vacuum also writes out what the indexes of texts have put off.
func vacuum(ctx context.Context, pool *pgxpool.Pool, tables []string, connections int, done func(int)) error {
	return replay.Parallel(ctx, connections, tables, func(ctx context.Context, table string) error {
		if _, err := pool.Exec(ctx, "vacuum (analyze) "+table); err != nil {
			return fmt.Errorf("analyze %s: %w", table, err)
		}
		done(1)
		return nil
	})
}
