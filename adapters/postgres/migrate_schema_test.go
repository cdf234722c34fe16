package postgres_test

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/migrations"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// schema is the whole schema except the table of migrations, table by table. Not-null constraints are columns' here: they
// have names of their own only from version 18 of the database on. What belongs to
// an extension is the extension's.
const schema = `
with ours as (
    select c.oid, c.relname
    from pg_class c
    where c.relnamespace = current_schema::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'
)
select line
from (
    select relname, 0 as part, 0 as number, '' as name, format('table %s', relname) as line
    from ours
    union all
    select
        ours.relname, 1, a.attnum, '',
        format('    %s %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
            case when l.collname <> 'default' then ' collate ' || l.collname end,
            case when a.attnotnull then ' not null' end,
            case
                when a.attidentity <> '' then ' identity ' || a.attidentity::text
                when a.attgenerated <> '' then ' generated ' || a.attgenerated::text || ' ' || pg_get_expr(d.adbin, d.adrelid)
                when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid)
            end)
    from pg_attribute a
    join ours on ours.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join pg_collation l on l.oid = a.attcollation
    where a.attnum > 0 and not a.attisdropped
    union all
    select ours.relname, 2, 0, k.conname, format('    constraint %s %s', k.conname, pg_get_constraintdef(k.oid))
    from pg_constraint k
    join ours on ours.oid = k.conrelid
    where k.contype <> 'n'
    union all
    select ours.relname, 3, 0, c.relname, format('    %s', regexp_replace(pg_get_indexdef(x.indexrelid), ' ON [^ ]*\.', ' ON '))
    from pg_index x
    join ours on ours.oid = x.indrelid
    join pg_class c on c.oid = x.indexrelid
    union all
    select '~', 4, 0, c.relname, format('relation %s of kind %s', c.relname, c.relkind)
    from pg_class c
    where c.relnamespace = current_schema::regnamespace and c.relkind not in ('r', 'p', 'i', 'I', 'S')
    union all
    select '~', 4, 0, p.proname, format('function %s', p.oid::regprocedure)
    from pg_proc p
    where p.pronamespace = current_schema::regnamespace
        and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
    union all
    select '~', 4, 0, y.typname, format('type %s', y.typname)
    from pg_type y
    where y.typnamespace = current_schema::regnamespace and y.typrelid = 0 and y.typelem = 0
        and not exists (select from pg_depend where classid = 'pg_type'::regclass and objid = y.oid and deptype = 'e')
    union all
    select '~', 4, 0, e.extname, format('extension %s', e.extname)
    from pg_extension e
    where e.extname <> 'plpgsql'
) s
order by relname collate "C", part, number, name collate "C", line collate "C"`

// A file is a migration with its text.
type file struct {
	name string
	text []byte
}

// all is every migration, oldest first.
func all(t *testing.T) (list []file) {
	t.Helper()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := migrations.FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, file{name: name, text: text})
	}
	return list
}

// Migrations leave nothing behind on the way down, and the same schema each time on the way up.
func TestMigrationsYieldTheSameSchemaUpAndDown(t *testing.T) { // contract 1.36
	t.Parallel()
	url := pgtest.EmptyURL(t)
	pool := pgtest.Pool(t, url)
	untouched := column[string](t, pool, schema)
	migrateUp(t, url)
	up := column[string](t, pool, schema)
	for range all(t) {
		if err := migrateDown(t, url); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(untouched, column[string](t, pool, schema)); diff != "" {
		t.Errorf("down to nothing: -want +got\n%s", diff)
	}
	migrateUp(t, url)
	if diff := cmp.Diff(up, column[string](t, pool, schema)); diff != "" {
		t.Errorf("up again: -want +got\n%s", diff)
	}
}

// next is the migrations of the next version of the program: the present ones and one
// with these statements.
func next(t *testing.T, up string) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	for _, f := range all(t) {
		files[f.name] = &fstest.MapFile{Data: f.text}
	}
	files[fmt.Sprintf("%05d_next.sql", len(files)+1)] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + up + "\n")}
	return files
}

// migrateDown rolls back the newest migration, if there is one.
func migrateDown(t *testing.T, url string) error {
	t.Helper()
	previous, err := postgres.PreviousMigration(t.Context(), url)
	if err != nil {
		return err
	}
	return postgres.MigrateDownTo(t.Context(), url, previous)
}
