package pgsummary_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// column is a column of the catalogue.
type column struct {
	Name, Type string
	Nullable   bool
	Key        int // its place in the primary key, from 1; 0 if it has none
}

// columns are those of the table, in their order; of no table none.
func columns(t *testing.T, pool *pgxpool.Pool, table string) []column {
	t.Helper()
	rows, err := pool.Query(t.Context(), `
select a.attname, format_type(a.atttypid, a.atttypmod), not a.attnotnull, coalesce(array_position(c.conkey, a.attnum), 0)
from pg_attribute a
left join pg_constraint c on c.conrelid = a.attrelid and c.contype = 'p'
where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
order by a.attnum`, table)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDeclarationAgreesWithTheCatalogue(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, pgtest.URL(t))
	expect := func(table string, want ...column) {
		t.Helper()
		if got := columns(t, pool, table); !slices.Equal(got, want) {
			t.Errorf("%s has the columns %v, declared are %v", table, got, want)
		}
	}
	key := func(place int, name, kind string) column { return column{Name: name, Type: kind, Key: place} }
	value := func(name, kind string) column { return column{Name: name, Type: kind} }
	counts := []column{key(1, "client_id", "bigint")}
	for _, l := range listdef.All {
		declared := []column{key(1, "batch_id", "bigint"), key(2, "seq", "bigint"), value("writer_version", "integer"), value("delta", "smallint")}
		for _, c := range l.Columns {
			declared = append(declared, column{Name: c.Name, Type: c.Type, Nullable: c.Nullable})
		}
		expect(l.Changes, declared...)
		expect(l.Search, key(1, "id", "bigint"), value("created_at", "timestamp with time zone"), value("text_key", "text"))
		if l.Rollup != nil {
			var sums []column
			for i, k := range l.Rollup.Keys {
				sums = append(sums, key(i+1, k.Name, typeOf(t, l, k.Name)))
			}
			for _, v := range l.Values() {
				sums = append(sums, value(v, "bigint"))
			}
			expect(l.Rollup.Table, sums...)
		}
		if l.ClientCount != "" {
			counts = append(counts, value(l.ClientCount, "bigint"))
		}
	}
	expect(listdef.ClientCounts, counts...)
}

func typeOf(t *testing.T, l *listdef.List, name string) string {
	t.Helper()
	for _, c := range l.Columns {
		if c.Name == name {
			return c.Type
		}
	}
	t.Fatalf("%s is a key of %s and no column of %s", name, l.Rollup.Table, l.Changes)
	return ""
}

func TestDeclaredRecordValuesHaveTheTypesOfTheirColumns(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, pgtest.URL(t))
	for _, l := range listdef.All {
		for _, c := range l.Columns {
			rows, err := pool.Query(t.Context(), "select "+l.RecordValue(c.Name)+" from "+l.Table+" r "+l.Join+" limit 0")
			if err != nil {
				t.Fatalf("%s of %s: %v", c.Name, l.Table, err)
			}
			rows.Close()
			var kind string
			if err := pool.QueryRow(t.Context(), "select format_type($1, null)", rows.FieldDescriptions()[0].DataTypeOID).Scan(&kind); err != nil {
				t.Fatal(err)
			}
			if kind != c.Type {
				t.Errorf("%s of a record of %s is a %s, want %s", c.Name, l.Table, kind, c.Type)
			}
		}
	}
}

func TestDeclaredListHasASearchIndex(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, pgtest.URL(t))
	for _, l := range listdef.All {
		if _, err := pool.Exec(t.Context(), "select gin_clean_pending_list('"+l.Search+"_by_text')"); err != nil {
			t.Errorf("the search index of %s: %v", l.Table, err)
		}
	}
}

// contract 4.45
func TestSearchKeyInSQLIsThatOfTheProgram(t *testing.T) {
	t.Parallel()
	pool := pgtest.Pool(t, pgtest.URL(t))
	texts := []string{"", "plain", "İnşaat", "Łódź", "Ελλάδα", "ὕδωρ", "Ёлка", "Йод", "が", "Việt Nam", "5\u0301", "e\u20dd\u0301", "е\u0301\u0308", "ё\u0301", "ǿ", "\uac01"}
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("aeioszœøßñαωЕеёйи5 \u0300\u0301\u0308\u0323\u0327\u0345\u20dd")
	for range 2000 {
		text := make([]rune, random.IntN(8))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		texts = append(texts, string(text))
	}
	keys := make([]string, len(texts))
	for i, text := range texts {
		keys[i] = textkey.Of(text)
	}
	rows, err := pool.Query(t.Context(), "select "+listdef.SearchKey(`k.key collate "C"`)+" from unnest($1::text[]) with ordinality as k (key, n) order by n", keys)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if want := textkey.Search(text); got[i] != want {
			t.Fatalf("the search key of %q is %q in SQL, %q in the program", text, got[i], want)
		}
	}
}
