package data

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// Admin is the username of the first user, an administrator.
const Admin = "admin"

// Search words that are in the names of some clients and nowhere else.
const (
	RareWord   = "Quendelhof" // in the names of 25 clients whatever the size
	CommonWord = "Technik"    // in about 43 of 1000
)

// The limits of the size.
const (
	MinClients = 100
	MaxClients = 100_000_000
)

// Options choose a data set.
type Options struct {
	Clients int
	Seed    uint64
}

// Validate returns an error for invalid options.
func (o Options) Validate() error {
	if o.Clients < MinClients || o.Clients > MaxClients {
		return fmt.Errorf("the number of clients must be from %d to %d", MinClients, MaxClients)
	}
	return nil
}

//go:embed sql
var files embed.FS

// ErrNotEmpty is the error for a database with a table in it.
var ErrNotEmpty = errors.New("the database is not empty: name one without any table")

// Fill migrates an empty database and fills it, over that many connections. It calls progress
// at the beginning of each stage. The error is ErrNotEmpty for a database with any table in it,
// which is not touched. After any other error the database is unusable.
func Fill(ctx context.Context, databaseURL string, o Options, connections int, progress func(stage string)) error {
	if err := o.Validate(); err != nil {
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
	err := withPool(ctx, config, connections, "off", func(pool *pgxpool.Pool) (err error) {
		if indexes, err = dropIndexes(ctx, pool); err != nil {
			return err
		}
		return o.store(ctx, pool, connections, progress)
	})
	if err != nil {
		return err
	}
	// These wait, and so for all before: for a vacuum, rows with an asynchronous
	// commit in progress are not visible to all.
	return withPool(ctx, config, connections, "on", func(pool *pgxpool.Pool) error {
		return finish(ctx, config, pool, indexes, connections, progress)
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
	config.ConnConfig.RuntimeParams["jit"] = "off"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("make the connection pool: %w", err)
	}
	defer pool.Close()
	return use(pool)
}

// chunkClients is how many clients one statement makes, or the other records of so many.
const chunkClients = 2000

// A stage makes the records of each chunk of clients, which reference those of earlier stages only.
type stage struct {
	table, sql string
	arguments  func(from, to, clients int) []any
}

func (o Options) stages() []stage {
	ofClients := func(from, to, clients int) []any { return []any{from, to, clients} }
	documents := func(table, prefix string, share func(clients int) int) stage {
		sql := strings.NewReplacer(":table", table, ":prefix", prefix).Replace(o.read("documents"))
		return stage{table, sql, func(from, to, clients int) []any {
			return []any{share(from), share(to), share(clients), 2 * clients}
		}}
	}
	return []stage{
		{"clients", o.read("clients"), ofClients},
		{"deals", o.read("deals"), ofClients},
		{"contacts", o.read("contacts"), ofClients},
		documents("offers", "A", func(clients int) int { return clients * 3 / 5 }),
		documents("contracts", "V", func(clients int) int { return clients / 4 }),
		{"invoices", o.read("invoices"), ofClients},
		{"deal_history", o.read("history"), ofClients},
	}
}

func (o Options) read(name string) string {
	sql, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(err) // it is embedded
	}
	// The conversion keeps the bits of the seed.
	return strings.NewReplacer(":seed", strconv.FormatInt(int64(o.Seed), 10), ":rare", RareWord, ":common", CommonWord).Replace(string(sql))
}

// store fills a migrated database. The read models are built at the end, and
// marked as not ready until then.
func (o Options) store(ctx context.Context, pool *pgxpool.Pool, connections int, progress func(stage string)) error {
	for _, sql := range []string{"update read_model_state set is_ready = false", o.read("functions"), o.read("lists")} {
		if _, err := pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("add the reference lists: %w", err)
		}
	}
	var chunks []int
	for from := 0; from < o.Clients; from += chunkClients {
		chunks = append(chunks, from)
	}
	for _, s := range o.stages() {
		progress(s.table)
		err := parallel(ctx, connections, chunks, func(ctx context.Context, from int) error {
			_, err := pool.Exec(ctx, s.sql, s.arguments(from, min(from+chunkClients, o.Clients), o.Clients)...)
			return err
		})
		if err == nil { // for the plans of the next stage
			_, err = pool.Exec(ctx, "analyze "+s.table)
		}
		if err != nil {
			return fmt.Errorf("add %s: %w", s.table, err)
		}
	}
	return removeFunctions(ctx, pool)
}

func removeFunctions(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, `
do $$
declare name regprocedure;
begin
    for name in select oid from pg_proc where proname like 'bench\_%' and pronamespace = current_schema::regnamespace loop
        execute 'drop function ' || name;
    end loop;
    drop table bench_products;
end $$`)
	if err != nil {
		return fmt.Errorf("remove the functions: %w", err)
	}
	return nil
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

// Records are the tables of records, and Models those of the read models.
var (
	Records = []string{
		"allocations", "payments", "invoice_lines", "deal_history", "invoices", "deals", "contacts", "clients", "offers", "contracts",
		"users", "statuses", "deal_types", "invoice_types", "performers",
	}
	Models = []string{
		"client_totals", "deal_totals", "invoice_totals", "client_counts",
		"client_search", "deal_search", "offer_search", "contract_search", "invoice_search",
		"client_changes", "deal_changes", "offer_changes", "contract_changes", "invoice_changes", "change_batches", "read_model_state",
	}
)

// finish sets the sequences, builds the read models and the indexes, and vacuums and analyzes all
// tables.
func finish(
	ctx context.Context, of bootstrap.Config, pool *pgxpool.Pool, indexes []string, connections int, progress func(stage string),
) error {
	for _, table := range Records {
		_, err := pool.Exec(ctx, fmt.Sprintf("select setval(pg_get_serial_sequence('%[1]s', 'id'), max(id)) from %[1]s", table))
		if err != nil {
			return fmt.Errorf("set the sequence of %s: %w", table, err)
		}
	}
	progress("read models")
	db, closeDB, err := bootstrap.OpenDB(ctx, of)
	if err != nil {
		return err
	}
	defer closeDB()
	if err := pgsummary.Rebuild(ctx, db); err != nil {
		return err
	}
	progress("indexes")
	if err := createIndexes(ctx, pool, indexes, connections); err != nil {
		return err
	}
	progress("statistics")
	return vacuum(ctx, pool, slices.Concat(Records, Models), connections)
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
