package postgres_test

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// The tests in this file check conventions of the schema in the catalogue of a
// migrated database.

// ours are the tables of the schema; the list of migrations is its tool's own.
const ours = `
select c.oid, c.relname
from pg_class c
where c.relnamespace = current_schema::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'`

// constraintsAndUniqueIndexes are what can reject a row. Not-null constraints
// are left out: they have no names before version 18 of the database, and the
// types of the stores hold them.
const constraintsAndUniqueIndexes = `
with ours as (` + ours + `)
select k.conname
from pg_constraint k
join ours on ours.oid = k.conrelid
where k.contype <> 'n'
union
select i.relname
from pg_index x
join pg_class i on i.oid = x.indexrelid
join ours on ours.oid = x.indrelid
where x.indisunique`

func TestConstraintsAllHaveATranslation(t *testing.T) {
	t.Parallel()
	inSchema := column[string](t, migrated(t), constraintsAndUniqueIndexes)
	for _, name := range inSchema {
		if translated(name) == nil {
			t.Errorf("the constraint %s has no translation in adapters/postgres", name)
		}
	}
	for _, name := range postgres.TranslatedConstraints() {
		if !slices.Contains(inSchema, name) {
			t.Errorf("adapters/postgres translates %s, which is no constraint of the schema", name)
		}
	}
}

// translated is the fault of a constraint; nil if there is none.
func translated(name string) *fault.Error {
	return fault.As(postgres.Fault(&pgconn.PgError{Code: "23514", ConstraintName: name}, postgres.Storing))
}

// renamed are the fields of the checks of a length that are called otherwise than the column.
var renamed = map[string]string{
	"users_name_length": "fname", "tokens_scopes_length": "scope", "invoice_types_name_length": "title",
	"idempotency_keys_key_length": "Idempotency-Key",
}

func TestConstraintsOfLengthsNameTheColumn(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, migrated(t), `
with ours as (`+ours+`)
select k.conname, substr(k.conname, length(ours.relname) + 2, length(k.conname) - length(ours.relname) - 8)
from pg_constraint k
join ours on ours.oid = k.conrelid
where k.conname like '%\_length'`) {
		name, want := row[0], cmp.Or(renamed[row[0]], row[1])
		if f := translated(name); f == nil || len(f.Fields) != 1 || f.Fields[0].Name != want {
			t.Errorf("%s is the fault %v, want one of the field %s", name, f, want)
		}
	}
}

func TestConstraintsAndIndexesAreNamed(t *testing.T) {
	t.Parallel()
	rows := table(t, migrated(t), `
with ours as (`+ours+`)
select ours.relname, k.conname
from pg_constraint k
join ours on ours.oid = k.conrelid
where k.contype <> 'n'
union
select ours.relname, i.relname
from pg_index x
join pg_class i on i.oid = x.indexrelid
join ours on ours.oid = x.indrelid`)
	for _, row := range rows {
		owner, name := row[0], row[1]
		if !strings.HasPrefix(name, owner+"_") {
			t.Errorf("%s of the table %s does not begin with its name", name, owner)
		}
		plain := strings.TrimRight(name, "0123456789")
		for _, generated := range []string{"_pkey", "_fkey", "_key", "_check", "_idx", "_excl"} {
			if strings.HasSuffix(plain, generated) {
				t.Errorf("%s looks like a name that the database made up: it should say its rule", name)
			}
		}
	}
}

func TestForeignKeysHaveNoActions(t *testing.T) {
	t.Parallel()
	acting := column[string](t, migrated(t), `
with ours as (`+ours+`)
select k.conname
from pg_constraint k
join ours on ours.oid = k.conrelid
where k.contype = 'f' and (k.confupdtype <> 'a' or k.confdeltype <> 'a')`)
	for _, name := range acting {
		t.Errorf("%s changes rows past the stores: it should have no action", name)
	}
}

func TestSchemaHasNoFunctionsOrTriggers(t *testing.T) {
	t.Parallel()
	code := column[string](t, migrated(t), `
with ours as (`+ours+`)
select 'the trigger ' || g.tgname
from pg_trigger g
join ours on ours.oid = g.tgrelid
where not g.tgisinternal
union
select 'the rule ' || w.rulename
from pg_rewrite w
join ours on ours.oid = w.ev_class
union
select 'the function ' || p.proname
from pg_proc p
left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
where p.pronamespace = current_schema::regnamespace and d.objid is null
union
select 'the event trigger ' || e.evtname
from pg_event_trigger e`)
	for _, what := range code {
		t.Errorf("%s runs where no store sees it", what)
	}
}

// unindexed are the foreign keys without an index, each with its reason.
var unindexed = map[string]string{
	"invoices_credits_fk":  "the few credit notes have a partial index",
	"deal_history_user_fk": "users are disabled, never deleted, and no list asks for one user's entries",
}

func TestForeignKeysHaveIndexes(t *testing.T) {
	t.Parallel()
	// The key's columns come first in the index, in whatever order, and the index
	// has every row that has them.
	lacking := column[string](t, migrated(t), `
with ours as (`+ours+`)
select k.conname
from pg_constraint k
join ours on ours.oid = k.conrelid
where k.contype = 'f' and not exists (
    select
    from pg_index x
    where
        x.indrelid = k.conrelid
        and x.indpred is null
        and k.conkey <@ (x.indkey::smallint[])[0:cardinality(k.conkey) - 1]
)`)
	expectListed(t, lacking, unindexed, "has no index that begins with its columns")
}

// unversioned are the tables whose rows have no version, each with its reason.
var unversioned = map[string]string{
	"tokens":           "a token is revoked once, and its use is recorded without a lock",
	"issued_documents": "a document is written once",
	"deal_history":     "an entry is written once; only its invoice can be taken from it",
	"idempotency_keys": "a response is written once, and deleted when it expires",
	"pictures":         "the content of a picture never changes, and an issued one stays so",
	"record_changes":   "an entry is written once; only its values can be taken from it",
	"settings":         "a setting is one value, and only operators change it",

	"change_batches":   followsFromRecords,
	"read_model_state": followsFromRecords,
	"client_changes":   followsFromRecords,
	"deal_changes":     followsFromRecords,
	"offer_changes":    followsFromRecords,
	"contract_changes": followsFromRecords,
	"invoice_changes":  followsFromRecords,
	"client_totals":    followsFromRecords,
	"deal_totals":      followsFromRecords,
	"invoice_totals":   followsFromRecords,
	"client_counts":    followsFromRecords,
	"rule_counts":      "counted by the statement, not edited",
	"rule_violations":  "never changed",
	"series":           "advanced by the documents that are issued, not edited",
	"client_search":    followsFromRecords,
	"deal_search":      followsFromRecords,
	"offer_search":     followsFromRecords,
	"contract_search":  followsFromRecords,
	"invoice_search":   followsFromRecords,
}

const followsFromRecords = "read models are not edited: they are computed from the records"

func TestTablesThatChangeHaveAVersion(t *testing.T) {
	t.Parallel()
	lacking := column[string](t, migrated(t), `
with ours as (`+ours+`)
select ours.relname
from ours
where not exists (
    select
    from pg_attribute a
    where a.attrelid = ours.oid and a.attname = 'version' and a.atttypid = 'bigint'::regtype and a.attnotnull
)`)
	expectListed(t, lacking, unversioned, "has no column version")
}

// contract 4.46
func TestTextKeysAreComparedByCodePoints(t *testing.T) {
	t.Parallel()
	pool := migrated(t)
	const keys = `
with ours as (` + ours + `)
select ours.relname || '.' || a.attname
from pg_attribute a
join ours on ours.oid = a.attrelid
left join pg_collation l on l.oid = a.attcollation
where a.attname like '%\_key' and a.atttypid = 'text'::regtype`
	if n := len(column[string](t, pool, keys)); n < 10 {
		t.Fatalf("only %d keys found", n)
	}
	for _, name := range column[string](t, pool, keys+" and l.collname is distinct from 'C'") {
		t.Errorf("%s is not collated \"C\"", name)
	}
}

// A text and its key are missing together, or a text would sort and be found
// where it is not. Read models have keys only, named text_key for every text.
func TestTextKeysHaveTheirTexts(t *testing.T) {
	t.Parallel()
	lacking := column[string](t, migrated(t), `
with ours as (`+ours+`)
select ours.relname || '.' || k.attname
from pg_attribute k
join ours on ours.oid = k.attrelid
where k.attname like '%\_key' and k.attname <> 'text_key' and k.atttypid = 'text'::regtype and not exists (
    select
    from pg_attribute a
    where
        a.attrelid = k.attrelid
        and a.attname = left(k.attname, -4)
        and a.atttypid = 'text'::regtype
        and a.attnotnull = k.attnotnull
)`)
	for _, name := range lacking {
		t.Errorf("%s has no text beside it with the same not-null constraint", name)
	}
}

// expectListed compares what lacks something with the exceptions.
func expectListed(t *testing.T, lacking []string, exceptions map[string]string, what string) {
	t.Helper()
	for _, name := range lacking {
		if exceptions[name] == "" {
			t.Errorf("%s %s", name, what)
		}
	}
	for name := range exceptions {
		if !slices.Contains(lacking, name) {
			t.Errorf("the exception for %s is stale", name)
		}
	}
}

// migrated is a pool on a migrated database.
func migrated(t *testing.T) *pgxpool.Pool {
	t.Helper()
	return pgtest.Pool(t, pgtest.URL(t))
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// column is the column of a result with one column.
func column[T any](t *testing.T, pool querier, sql string, arguments ...any) []T {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql, arguments...)
	if err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	return all
}

// table is a result whose columns are texts.
func table(t *testing.T, pool *pgxpool.Pool, sql string) [][]string {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]string, error) {
		cells := make([]string, len(row.FieldDescriptions()))
		targets := make([]any, len(cells))
		for i := range cells {
			targets[i] = &cells[i]
		}
		return cells, row.Scan(targets...)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("the catalogue has no such rows")
	}
	return all
}
