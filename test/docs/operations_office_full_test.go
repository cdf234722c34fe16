//go:build full

package docs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/bench/data"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// programPath returns a PATH with the program and PostgreSQL's client programs.
func programPath(t *testing.T) string {
	t.Helper()
	return "PATH=" + strings.Join(append([]string{filepath.Dir(testprogram.Path(t)), os.Getenv("PATH")}, clients(t)...), string(os.PathListSeparator))
}

// clients returns the usual folders of pg_dump, the newest version first.
func clients(t *testing.T) []string {
	t.Helper()
	var folders []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(found)
		folders = append(folders, found...)
	}
	if _, err := exec.LookPath("pg_dump"); err != nil && len(folders) == 0 {
		t.Fatal("PostgreSQL's client programs (pg_dump, pg_restore, psql) are missing: make postgres installs them")
	}
	return folders
}

// fill fills an empty database with the records of a small company.
func fill(t *testing.T, database string) {
	t.Helper()
	options := data.Options{Clients: data.MinClients, Seed: 5}
	noProgress := func(string) {}
	if err := data.Fill(t.Context(), database, options, 2, noProgress); err != nil {
		t.Fatal(err)
	}
}

// with calls use with a connection.
func with(t *testing.T, database string, use func(ctx context.Context, conn *pgx.Conn) error) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err == nil {
		err = use(t.Context(), conn)
		_ = conn.Close(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checksums returns a line for each table, with its number of rows and a checksum of
// them, and a line for each of their sequences. The size of an invoice's texts is not
// included: it is computed again after a rollback.
func checksums(t *testing.T, database string, tables ...string) string {
	t.Helper()
	var b strings.Builder
	with(t, database, func(ctx context.Context, conn *pgx.Conn) error {
		for _, table := range tables {
			name := pgx.Identifier{table}.Sanitize()
			var rows int
			var sum string
			err := conn.QueryRow(ctx, `select count(*), coalesce(md5(string_agg(r.row, e'\n' order by r.row collate "C")), '')
				from (select (to_jsonb(t) - '{text_bytes,text_bytes_version}'::text[])::text as row, t::text as text from `+name+` t) r
				where r.text not like '(minimum_version,%'`).Scan(&rows, &sum)
			if err != nil {
				return err
			}
			fmt.Fprintln(&b, table, rows, sum)
		}
		sequences, err := conn.Query(ctx, `select sequencename || ' ' || coalesce(last_value, 0) from pg_sequences
			where schemaname = current_schema and exists (
				select from unnest($1::text[]) t where sequencename in (t || '_id_seq', t || '_seq_seq')
			)
			order by sequencename collate "C"`, tables)
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(sequences, pgx.RowTo[string])
		b.WriteString(strings.Join(lines, "\n"))
		return err
	})
	return b.String()
}

// tables returns all tables of a database, including that of the schema version.
func tables(t *testing.T, database string) (names []string) {
	t.Helper()
	with(t, database, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `
			select tablename
			from pg_tables
			where schemaname = current_schema
			order by tablename collate "C"`)
		if err != nil {
			return err
		}
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if len(names) < 30 {
		t.Fatalf("%s has only the tables %v", database, names)
	}
	return names
}

// records are the tables that cannot be rebuilt from others.
var records = []string{
	"clients", "contacts", "contracts", "deal_history", "deal_types", "deals", "invoice_lines", "invoice_types",
	"invoices", "offers", "performers", "settings", "statuses", "users",
}

// service is the API on a database.
type service struct {
	t       *testing.T
	handler http.Handler
}

// serve runs a service on the database until stop is called, or the test ends.
func serve(t *testing.T, database string) (s service, stop func()) {
	t.Helper()
	config := bootstrap.Defaults(database)
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	built, closeAll, err := bootstrap.NewService(t.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(closeAll)
	t.Cleanup(stop)
	return service{t, built.Handler}, stop
}

// send returns the status of the response, and its body with the total of a list.
func (s service) send(token, method, address, body string) (status int, response string) {
	s.t.Helper()
	request := httptest.NewRequestWithContext(s.t.Context(), method, address, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, request)
	text, err := io.ReadAll(recorder.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return recorder.Code, recorder.Header().Get("X-Pagination-Total-Count") + " " + string(text)
}

// seen returns the responses to some lists.
func (s service) seen(token string) string {
	s.t.Helper()
	var b strings.Builder
	for _, address := range []string{
		"/rest/client?sort=name&count_deals=1&count_invoices=1&per_page=500",
		"/rest/client?name=Nord",
		"/rest/client?user_id=1",
		"/rest/invoice?per_page=500&expand=items,company,deal",
		"/rest/invoice?status_id=2&year=2024",
		"/rest/deal?per_page=500",
	} {
		status, response := s.send(token, http.MethodGet, address, "")
		if status != http.StatusOK {
			s.t.Fatalf("GET %s returned %d %s", address, status, response)
		}
		fmt.Fprintln(&b, address, response)
	}
	return b.String()
}

// beside returns the name and URL of a database on the same server, which is dropped
// at the end of the test.
func beside(t *testing.T, database string) (name, at string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	name = fmt.Sprintf("kontor_test_restored_%08x", rand.Uint32())
	u.Path = "/" + name
	t.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), database)
		if err == nil {
			_, err = conn.Exec(context.Background(), "drop database if exists "+pgx.Identifier{name}.Sanitize()+" with (force)")
			_ = conn.Close(context.Background())
		}
		if err != nil {
			t.Error(err)
		}
	})
	return name, u.String()
}
