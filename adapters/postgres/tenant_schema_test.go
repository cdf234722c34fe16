package postgres_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/tenant"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// createCompany creates the schema of a company.
func createCompany(t *testing.T, pool *pgxpool.Pool, code tenant.Code, number int64) {
	t.Helper()
	if err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		return postgres.CreateTenant(t.Context(), tx, code, number, "Europe/Berlin")
	}); err != nil {
		t.Fatal(err)
	}
}

// inCompany is a pool on the company.
func inCompany(t *testing.T, url string, code tenant.Code) (string, *pgxpool.Pool) {
	t.Helper()
	in, err := postgres.InTenant(url, code)
	if err != nil {
		t.Fatal(err)
	}
	return in, pgtest.Pool(t, in)
}

// definitions describe the tables of the search path, without the name of their schema.
const definitions = `
select 'column ' || c.relname || ' ' || a.attnum || ' ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' '
  || a.attnotnull || ' ' || a.attidentity::text || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || ' ' || a.attcollation
from pg_attribute a
join pg_class c on c.oid = a.attrelid
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0
union all
select 'constraint ' || conname || ' ' || pg_get_constraintdef(oid)
from pg_constraint
where connamespace = current_schema()::regnamespace
union all
select 'index ' || indexdef
from pg_indexes
where schemaname = current_schema()
union all
select 'migration ' || version_id || ' ' || is_applied
from schema_migrations
order by 1`

// contract 14.3
func TestCreateCompanyMakesTheTablesOfTheMigrations(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := pgtest.Pool(t, url)
	createCompany(t, pool, "0000000a", postgres.Version)
	createCompany(t, pool, "0000000b", postgres.Version)
	urlB, poolB := inCompany(t, url, "0000000b")
	if err := postgres.MigrateDownTo(t.Context(), urlB, 0); err != nil {
		t.Fatal(err)
	}
	if err := postgres.MigrateUp(t.Context(), urlB); err != nil {
		t.Fatal(err)
	}
	_, poolA := inCompany(t, url, "0000000a")
	read := func(pool *pgxpool.Pool, schema string) []string {
		list := column[string](t, pool, definitions)
		for i := range list {
			list[i] = strings.ReplaceAll(strings.ReplaceAll(list[i], schema+".", ""), "public.", "")
		}
		slices.Sort(list)
		return list
	}
	defaults, created, migrated := read(pool, "public"), read(poolA, "company_0000000a"), read(poolB, "company_0000000b")
	if len(defaults) < 300 || !slices.Equal(created, defaults) {
		t.Errorf("created at once, the company differs: %v", difference(created, defaults))
	}
	if !slices.Equal(migrated, defaults) {
		t.Errorf("migrated, the company differs: %v", difference(migrated, defaults))
	}
}

// difference are the elements of only one of the lists.
func difference(a, b []string) (only []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			only = append(only, "- "+s)
		}
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			only = append(only, "+ "+s)
		}
	}
	return only
}

// contract 14.4
func TestInCompanyFindsNoTableOfAnotherSchema(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := pgtest.Pool(t, url)
	createCompany(t, pool, "0000000a", postgres.Version)
	createCompany(t, pool, "0000000b", postgres.Version)
	in, companyPool := inCompany(t, url, "0000000a")
	for _, name := range column[string](t, companyPool, "select tablename::text from pg_tables where schemaname = current_schema()") {
		if _, err := companyPool.Exec(t.Context(), "drop table "+name+" cascade"); err != nil {
			t.Fatal(err)
		}
		_, err := companyPool.Exec(t.Context(), "select from "+name)
		if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "42P01" {
			t.Errorf("the table %s is read, though the company has none: %v", name, err)
		}
	}
	if err := postgres.MigrateUp(t.Context(), in); err != nil {
		t.Fatalf("a company without tables: %v", err)
	}
	if tables := column[string](t, pool, "select tablename::text from pg_tables where schemaname = 'company_0000000a'"); len(tables) < 37 {
		t.Errorf("the migration has made %d tables in the schema of the company", len(tables))
	}
}

// contract 14.22
func TestMigrateDownOfACompanyKeepsTheOthers(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := pgtest.Pool(t, url)
	createCompany(t, pool, "0000000a", postgres.Version)
	in, companyPool := inCompany(t, url, "0000000a")
	before := column[string](t, pool, definitions)
	if err := postgres.MigrateDownTo(t.Context(), in, 0); err != nil {
		t.Fatal(err)
	}
	if left := column[string](t, companyPool, "select tablename::text from pg_tables where schemaname = current_schema()"); len(left) != 1 {
		t.Errorf("the company has %v left", left)
	}
	if after := column[string](t, pool, definitions); !slices.Equal(before, after) {
		t.Errorf("the default company has changed: %v", difference(after, before))
	}
	if err := postgres.MigrateUp(t.Context(), in); err != nil {
		t.Errorf("again upwards: %v", err)
	}
}

// contract 14.20
func TestMigrateUpOfACompanyWaitsForNoOther(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := pgtest.Pool(t, url)
	createCompany(t, pool, "0000000a", 9)
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	const lockOfDefaultCompany = 5887940537704921958 // of goose
	if _, err := conn.Exec(t.Context(), "select pg_advisory_lock($1)", int64(lockOfDefaultCompany)); err != nil {
		t.Fatal(err)
	}
	in, _ := inCompany(t, url, "0000000a")
	if err := postgres.MigrateUp(t.Context(), in); err != nil {
		t.Error(err)
	}
}

// contract 14.3
func TestCreateCompanyRequiresAMigratedDatabaseAndAKnownZone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ url, zone, says string }{
		"empty database": {pgtest.EmptyURL(t), "UTC", "run kontor migrate up"},
		"unknown zone":   {pgtest.URL(t), "Mars/Olympus", "does not know the time zone Mars/Olympus"},
	} {
		pool := pgtest.Pool(t, c.url)
		err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			return postgres.CreateTenant(t.Context(), tx, "0000000a", postgres.Version, c.zone)
		})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if left := column[string](t, pool, "select nspname::text from pg_namespace where nspname like 'company%'"); len(left) > 0 {
			t.Errorf("%s: %v is left", name, left)
		}
	}
}
