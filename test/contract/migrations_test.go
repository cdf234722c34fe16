package contract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// schema describes everything that a migration can leave behind, but for the
// list of migrations itself.
const schema = `
with ours as (` + ours + `)
select format('column %s.%s %s %s %s %s', ours.relname, a.attname, format_type(a.atttypid, a.atttypmod),
    l.collname, a.attnotnull, coalesce(pg_get_expr(d.adbin, d.adrelid), a.attidentity::text))
from pg_attribute a
join ours on ours.oid = a.attrelid
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
left join pg_collation l on l.oid = a.attcollation
where a.attnum > 0 and not a.attisdropped
union all
select format('constraint %s of %s %s', k.conname, ours.relname, pg_get_constraintdef(k.oid))
from pg_constraint k
join ours on ours.oid = k.conrelid
union all
select format('index %s', pg_get_indexdef(x.indexrelid))
from pg_index x
join ours on ours.oid = x.indrelid
union all
select format('%s %s', c.relkind, c.relname)
from pg_class c
where c.relnamespace = current_schema::regnamespace and c.relname not like 'schema\_migrations%'
union all
select format('function %s', p.oid::regprocedure)
from pg_proc p
where p.pronamespace = current_schema::regnamespace
union all
select format('type %s', y.typname)
from pg_type y
where y.typnamespace = current_schema::regnamespace and y.typrelid = 0 and y.typelem = 0
union all
select format('extension %s', e.extname)
from pg_extension e
order by 1`

// contract 1.36
func TestMigrationsGoUpAndDownAndUpAgain(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	pool := pgtest.Pool(t, url)
	untouched := column[string](t, pool, schema)

	migrateUp(t, url)
	first := column[string](t, pool, schema)
	if len(first) < len(untouched)+100 {
		t.Fatalf("up to date, the schema has only %d parts", len(first))
	}
	migrateUp(t, url)
	expectSchema(t, pool, "up again where nothing was left to do", first)

	for range applied(t, url) {
		if err := postgres.MigrateDown(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
	if n := applied(t, url); n != 0 {
		t.Fatalf("down to nothing, %d migrations are still applied", n)
	}
	expectSchema(t, pool, "down to nothing", untouched)
	if err := postgres.MigrateDown(t.Context(), url); err != nil {
		t.Errorf("down where nothing is: %v", err)
	}

	migrateUp(t, url)
	expectSchema(t, pool, "down and up", first)
}

// contract 1.18
func TestADatabaseIsReadyOnceItHasEveryMigration(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	pool := pgtest.Pool(t, url)
	expectReady := func(want bool) {
		t.Helper()
		pending, err := postgres.Pending(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if ready := postgres.Ready(t.Context(), pool); (ready == nil) != want || pending == want {
			t.Errorf("ready: %v, pending: %v; want ready %v", ready, pending, want)
		}
	}
	expectReady(false)
	migrateUp(t, url)
	expectReady(true)
	if err := postgres.MigrateDown(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	expectReady(false)
}

func TestTwoThatMigrateAtOnceDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	results := make(chan error)
	for range 2 {
		go func() { results <- postgres.MigrateUp(t.Context(), url) }()
	}
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

func migrateUp(t *testing.T, url string) {
	t.Helper()
	if err := postgres.MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
}

// applied is how many migrations the database has.
func applied(t *testing.T, url string) (n int) {
	t.Helper()
	list, err := postgres.Migrations(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if m.Applied {
			n++
		}
	}
	return n
}

func expectSchema(t *testing.T, pool *pgxpool.Pool, when string, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, column[string](t, pool, schema)); diff != "" {
		t.Errorf("%s: -want +got\n%s", when, diff)
	}
}
