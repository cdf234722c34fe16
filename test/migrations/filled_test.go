package migrations_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// zone is the time zone of the databases: one of the payments in testdata/rows falls
// into another month there than in UTC.
const zone = "Europe/Berlin"

// filled is a database of a version with rows in every table.
type filled struct {
	t       *testing.T
	url     string
	pool    *pgxpool.Pool
	version int64
}

// addRows adds the rows that belong to the version.
func (f filled) addRows() {
	f.t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("testdata/rows/%05d_*.sql", f.version))
	if err != nil {
		f.t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.t.Fatal(err)
		}
		if _, err := f.pool.Exec(f.t.Context(), string(text)); err != nil {
			f.t.Fatalf("%s: %v", file, err)
		}
	}
	f.isFull()
}

// tables is every table with its columns.
func (f filled) tables() map[string][]string {
	f.t.Helper()
	list := map[string][]string{}
	for _, name := range column[string](f.t, f.pool, `
select c.relname || '.' || a.attname
from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = current_schema::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'
order by c.relname, a.attnum`) {
		table, column, _ := strings.Cut(name, ".")
		list[table] = append(list[table], column)
	}
	return list
}

// isFull reports columns without a value: a later migration might lose it.
func (f filled) isFull() {
	f.t.Helper()
	for table, columns := range f.tables() {
		for _, c := range columns {
			if column[int64](f.t, f.pool, fmt.Sprintf("select count(%s) from %s", c, table))[0] == 0 {
				f.t.Errorf("testdata/rows has no value for %s.%s in version %d", table, c, f.version)
			}
		}
	}
}

// contents are the rows of the tables, with these columns. Rows that belong to a version of the
// schema are not included: the minimum version, and the purge of violations.
func (f filled) contents(of map[string][]string) map[string][]string {
	f.t.Helper()
	all := map[string][]string{}
	for table, columns := range of {
		all[table] = column[string](f.t, f.pool, fmt.Sprintf(`
select row_to_json(r)::text
from (select %s from %s) r
where coalesce(to_jsonb(r) ->> 'name', '') not in ('minimum_version', 'rule_violations')
order by 1`, strings.Join(columns, ", "), table))
	}
	return all
}

// only is the common tables and columns.
func only(these, those map[string][]string) map[string][]string {
	both := map[string][]string{}
	for table, columns := range these {
		for _, c := range columns {
			if slices.Contains(those[table], c) {
				both[table] = append(both[table], c)
			}
		}
	}
	return both
}

// dropped are the columns that a migration drops on purpose, as table.column,
// each with its reason.
var dropped = map[string]bool{}

// records are the tables without those of the read models.
func records(of map[string][]string) map[string][]string {
	remaining := map[string][]string{}
	for table, columns := range of {
		if !slices.ContainsFunc([]string{"_changes", "_totals", "_counts", "_search", "page_index", "read_model_state", "read_model_positions", "read_model_rebuilds", "change_batches"},
			func(end string) bool { return strings.HasSuffix(table, end) }) {
			remaining[table] = columns
		}
	}
	return remaining
}

// One database goes up through all versions, with further rows in each, down to the first
// and up again.
//
// contract 1.36
func TestMigrationsUpAndDownPreserveRows(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	f := filled{t: t, url: url, pool: pgtest.Pool(t, url)}
	tables := []map[string][]string{{}} // by their version
	for newest := int64(len(all(t))); f.version < newest; tables = append(tables, f.tables()) {
		had, before := tables[f.version], f.contents(tables[f.version])
		f.version++
		if err := migrateUpTo(t, url, f.version); err != nil {
			t.Fatal(err)
		}
		f.expect(fmt.Sprintf("up to %d", f.version), had, before)
		f.addRows()
	}
	f.serves("up")
	for f.version > 1 {
		f.version--
		had := records(tables[f.version])
		before := f.contents(had)
		if err := postgres.MigrateDownTo(t.Context(), url, f.version); err != nil {
			t.Fatal(err)
		}
		f.expect(fmt.Sprintf("down to %d", f.version), had, before)
	}
	had := records(tables[1])
	before := f.contents(had)
	migrateUp(t, url)
	f.expect("up again", had, before)
	f.serves("up again")
}

// expect compares the rows of these tables with those before.
func (f filled) expect(when string, had map[string][]string, before map[string][]string) {
	f.t.Helper()
	both := only(had, f.tables())
	for table, columns := range had {
		for _, c := range columns {
			if !slices.Contains(both[table], c) && !dropped[table+"."+c] {
				f.t.Errorf("%s: %s.%s is gone", when, table, c)
			}
		}
	}
	if diff := cmp.Diff(before, f.contents(both)); diff != "" {
		f.t.Errorf("%s: rows have changed: -before +after\n%s", when, diff)
	}
}

// serves starts the current program, whose lists must agree with the records while the
// read models are rebuilt and afterwards.
func (f filled) serves(when string) {
	t := f.t
	t.Helper()
	if err := bootstrap.Migrate(t.Context(), bootstrap.Config{DatabaseURL: f.url, TimeZone: zone}); err != nil {
		t.Fatal(err)
	}
	s := testserver.On(t, f.url, func(c *bootstrap.Config) { c.TimeZone = zone })
	token := testserver.Token(t, s.Service, strings.ReplaceAll(when, " ", "-"), user.Admin)
	f.lists(when+", read from records", s.URL, token)
	pool := pgtest.Pool(t, f.url)
	if err := pgsummary.Rebuild(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	wrong, err := pgsummary.Verify(t.Context(), pool)
	if err != nil || len(wrong) > 0 {
		t.Errorf("%s: the read models differ: %v, %v", when, err, wrong)
	}
	// A service checks only once per second whether they are ready.
	again := testserver.On(t, f.url, func(c *bootstrap.Config) { c.TimeZone = zone })
	f.lists(when+", read from models", again.URL, token)
}

// lists are the lists of the service, each with what counts it.
var lists = []struct {
	path string
	rows string
	from int64 // the version that brought its table
}{
	{"user", "users", 1},
	{"status", "statuses", 2},
	{"deal-type", "deal_types", 2},
	{"invoice-type", "invoice_types", 2},
	{"performer", "performers", 2},
	{"client", "clients", 3},
	{"client?type=2", "clients where type = 2", 3},
	{"client?name=zölw", "clients where name_key like '%zölw%'", 3},
	{"deal", "deals", 3},
	{"deal?client_id=1", "deals where client_id = 1", 3},
	{"offer", "offers", 3},
	{"contract", "contracts", 3},
	{"contact?client_id=1", "contacts where client_id = 1", 3},
	{"contact?deal_id=3", "contacts where deal_id = 3", 3},
	{"invoice", "invoices", 4},
	{"invoice?paid_year=2024", "invoices where number in ('I-3', 'I-4')", 4},
	{"invoice?paid_year=2023", "invoices where false", 4},
	{"invoice?paid_month=1&user_id=2&month=12", "invoices where number = 'I-3'", 4},
	{"invoice-items", "invoice_lines", 4},
}

func (f filled) lists(when, address, token string) {
	f.t.Helper()
	for _, l := range lists {
		if f.version < l.from && strings.HasPrefix(l.path, "contact?") {
			continue // no such client
		}
		want := column[int64](f.t, f.pool, "select count(*) from "+l.rows)[0]
		if want == 0 && f.version >= l.from && !strings.HasSuffix(l.rows, "false") {
			f.t.Errorf("%s: testdata/rows has nothing for %s", when, l.path)
		}
		total, items := ask(f.t, address+"/rest/"+l.path, token)
		if total != want || int64(items) != want {
			f.t.Errorf("%s: %s shows %d records and a total of %d, want %d", when, l.path, items, total, want)
		}
	}
}

// ask returns the total of a list and the number of records on its page.
func ask(t *testing.T, url, token string) (total int64, items int) {
	t.Helper()
	var list struct{ Items []json.RawMessage }
	response, err := rest.Client{URL: url, Token: token}.Call(t.Context(), http.MethodGet, "", nil, &list)
	if err != nil {
		t.Fatal(err)
	}
	total = int64(len(list.Items)) // of a list that has no pages
	if text := response.Header.Get("X-Pagination-Total-Count"); text != "" {
		if total, err = strconv.ParseInt(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	return total, len(list.Items)
}
