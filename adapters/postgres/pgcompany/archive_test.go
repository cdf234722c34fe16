package pgcompany_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/test/pgtest"
)

var withBakery = pgtest.NewFixture(func(t testing.TB, url string) company.Company {
	t.Helper()
	return at(t, url).filled()
})

// filled is a database with a company that has rows in every table.
func filled(t *testing.T) (database, company.Company) {
	t.Helper()
	url, bakery := withBakery.URL(t)
	return at(t, url), bakery
}

func (d database) filled() company.Company {
	d.t.Helper()
	added := d.add("bakery")
	pool := d.in(added)
	if _, err := pool.Exec(d.t.Context(), "delete from settings where name = 'timezone'"); err != nil { // the rows have one
		d.t.Fatal(err)
	}
	files, err := filepath.Glob("../../../test/migrations/testdata/rows/*.sql")
	if err != nil || len(files) == 0 {
		d.t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files { // sorted
		text, err := os.ReadFile(file)
		if err != nil {
			d.t.Fatal(err)
		}
		if _, err := pool.Exec(d.t.Context(), string(text)); err != nil {
			d.t.Fatalf("%s: %v", file, err)
		}
	}
	return added
}

// contents are the rows of all tables, and what the identity columns have given.
func contents(t *testing.T, pool *pgxpool.Pool) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range column[string](t, pool, "select tablename::text from pg_tables where schemaname = current_schema() and tablename <> 'schema_migrations'") {
		rows := column[string](t, pool, "select row_to_json(r)::text from "+name+" r order by 1")
		all[name] = strings.Join(rows, "\n")
	}
	for _, last := range column[string](t, pool, "select sequencename || ' ' || coalesce(last_value, 0) from pg_sequences where schemaname = current_schema() and sequencename not like 'schema%'") {
		name, value, _ := strings.Cut(last, " ")
		all[name] = value
	}
	return all
}

func (d database) exported() []byte {
	d.t.Helper()
	var b bytes.Buffer
	if err := d.Export(d.t.Context(), "bakery", &b); err != nil {
		d.t.Fatal(err)
	}
	return b.Bytes()
}

// contract 14.12, 14.13
func TestRestoreHasAllRowsOfTheExport(t *testing.T) {
	t.Parallel()
	d, before := filled(t)
	if _, err := d.in(before).Exec(t.Context(), "select setval('clients_id_seq', 4711)"); err != nil { // whose record is gone
		t.Fatal(err)
	}
	want := contents(t, d.in(before))
	empty := 0
	for _, rows := range want {
		if rows == "" {
			empty++
		}
	}
	if empty > 3 {
		t.Errorf("%d tables of the samples are empty", empty)
	}
	file := d.exported()
	if err := d.Remove(t.Context(), "bakery"); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]database{"same database": d, "another database": open(t)} {
		restored, err := to.Restore(t.Context(), "bakery-2", bytes.NewReader(file))
		if err != nil || restored.Code != before.Code || restored.TimeZone != before.TimeZone || restored.State != company.Active {
			t.Fatalf("%s: %+v, %v", name, restored, err)
		}
		got := contents(t, to.in(restored))
		for table, rows := range want {
			if got[table] != rows {
				t.Errorf("%s: %s has\n%s\nwant\n%s", name, table, got[table], rows)
			}
		}
		if len(want) < 50 || len(got) != len(want) {
			t.Errorf("%s: %d tables and sequences instead of %d", name, len(got), len(want))
		}
	}
}

// contract 14.13
func TestRestoreOfACompanyThatExistsRevokesTheTokens(t *testing.T) {
	t.Parallel()
	d, before := filled(t)
	restored, err := d.Restore(t.Context(), "copy", bytes.NewReader(d.exported()))
	if err != nil || restored.Code == before.Code {
		t.Fatalf("%+v, %v", restored, err)
	}
	const valid = "select count(*) from tokens where revoked_at is null"
	if old, copied := column[int](t, d.in(before), valid)[0], column[int](t, d.in(restored), valid)[0]; old == 0 || copied != 0 {
		t.Errorf("%d tokens are valid in the company, %d in its copy", old, copied)
	}
}

// contract 14.12
func TestExportIsOfOneMoment(t *testing.T) {
	t.Parallel()
	d, bakery := filled(t)
	pool := d.in(bakery)
	// More than the buffer of the export, in a table before the users.
	if _, err := pool.Exec(t.Context(), "insert into client_search (id, created_at, text_key) select n, now(), repeat('x', 1000) from generate_series(1000, 1200) n"); err != nil {
		t.Fatal(err)
	}
	const changed = "changed@example.org"
	var b bytes.Buffer
	err := d.Export(t.Context(), "bakery", writerFunc(func(p []byte) (int, error) {
		if b.Len() == 0 {
			if bytes.Contains(p, []byte(`"table":"users"`)) {
				t.Error("the users are exported before they are changed")
			}
			if _, err := pool.Exec(t.Context(), "update users set email = $1", changed); err != nil {
				return 0, err
			}
		}
		return b.Write(p)
	}))
	if err != nil || !bytes.Contains(b.Bytes(), []byte(`"table":"users"`)) {
		t.Fatal(err)
	}
	if bytes.Contains(b.Bytes(), []byte(changed)) {
		t.Error("the export has a change that was made meanwhile")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// contract 14.14
func TestRestoreRejectsADamagedExport(t *testing.T) {
	t.Parallel()
	d, _ := filled(t)
	file := string(d.exported())
	newer := strings.Replace(file, `"migration":`, `"migration":99`, 1)
	for name, c := range map[string]struct{ file, says string }{
		"empty":             {"", "ends before"},
		"text":              {"hello\nworld\n", `"hello" is not a line of an export`},
		"other format":      {"{}\n", "not the export of a company"},
		"newer version":     {newer, "of a newer version"},
		"cut in the middle": {file[:len(file)/2], "ends before"},
		"without its end":   {file[:strings.LastIndex(strings.TrimSpace(file), "\n")+1], "ends before"},
		"a value":           {strings.Replace(file, "@example.", "@exbmple.", 1), "do not have their checksum"},
		"the header":        {strings.Replace(file, `"name":"bakery"`, `"name":"bakerz"`, 1), "the file does not have its checksum"},
		"a table twice":     {strings.Replace(file, `"tables":["change_batches","client_changes"`, `"tables":["change_batches","change_batches"`, 1), "has it twice"},
		"other columns":     {strings.Replace(file, `"columns":["id",`, `"columns":["ix",`, 1), "other columns"},
		"a text as number":  {strings.Replace(file, "\n1\t", "\nx\t", 1), "has wrong rows"},
		"an appendix":       {file + "x", "follows the end"},
		"a long line":       {strings.Repeat("x", 3<<20), "too long"},
	} {
		_, err := d.Restore(t.Context(), "copy", strings.NewReader(c.file))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if state := d.state("copy"); state != "" && state != company.Adding {
			t.Errorf("%s: the company is %s", name, state)
		}
		if schemas := column[string](t, d.pool, ownSchemas); len(schemas) != 2 {
			t.Errorf("%s: the schemas are %v", name, schemas)
		}
	}
	errBroken := errors.New("broken")
	if _, err := d.Restore(t.Context(), "copy", io.MultiReader(strings.NewReader(file[:len(file)/2]), brokenReader{errBroken})); !errors.Is(err, errBroken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
	if _, err := d.Restore(t.Context(), "copy", strings.NewReader(file)); err != nil || d.state("copy") != company.Active {
		t.Errorf("the undamaged file: %v", err)
	}
}

type brokenReader struct{ error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.error }

// contract 14.14
func TestRestoreInterruptedLeavesNothingAndIsRepeated(t *testing.T) {
	t.Parallel()
	d, _ := filled(t)
	file := d.exported()
	other := at(t, d.url)
	killed := errors.New("killed")
	_, err := other.Restore(t.Context(), "copy", io.MultiReader(bytes.NewReader(file[:len(file)*9/10]), readerFunc(func() error {
		column[bool](t, d.pool, `
select pg_terminate_backend(pid, 5000)
from pg_stat_activity
where datname = current_database() and application_name = 'kontor company' and state <> 'idle'`)
		return killed
	})))
	if err == nil || d.state("copy") != company.Adding {
		t.Errorf("it is %q, %v", d.state("copy"), err)
	}
	if schemas := column[string](t, d.pool, ownSchemas); len(schemas) != 2 {
		t.Errorf("the schemas are %v", schemas)
	}
	if _, err := d.Restore(t.Context(), "copy", bytes.NewReader(file)); err != nil || d.state("copy") != company.Active {
		t.Errorf("repeated: %v", err)
	}
}

type readerFunc func() error

func (f readerFunc) Read([]byte) (int, error) { return 0, f() }
