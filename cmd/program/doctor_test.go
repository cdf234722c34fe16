package program

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/doctor"
	"github.com/kontor-crm/kontor/adapters/localpg"
)

// contract 1.66, 1.68
func TestDoctorExaminesThePrivateDatabase(t *testing.T) {
	folder := dataFolder(t)
	t.Setenv("KONTOR_DATABASE_URL", "")
	t.Setenv("KONTOR_DATA_DIR", folder)
	code, printed, reported := called(t, "doctor")
	if code != codeDone || reported != "" || !strings.Contains(printed, "warn  database  there is no database in "+folder+" yet\n") ||
		!strings.Contains(printed, "-> kontor serve creates one there") {
		t.Errorf("without a database doctor ends with %d, reports %q and prints\n%s", code, reported, printed)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("doctor has created a data directory")
	}

	database := private(t, folder)
	code, printed, reported = called(t, "doctor")
	if code != codeFound || !strings.Contains(printed, "fail  migrations") || !strings.Contains(printed, "-> kontor migrate up") ||
		reported != "kontor: there is something to fix: 1 of 8 checks failed\n" {
		t.Errorf("before the first migration doctor ends with %d, reports %q and prints\n%s", code, reported, printed)
	}
	var tables int
	if err := database.QueryRow(t.Context(), "select count(*) from pg_tables where schemaname = 'public'").Scan(&tables); err != nil || tables != 0 {
		t.Errorf("doctor has created %d tables: %v", tables, err)
	}

	for _, words := range []string{"migrate up", "user add --username ann --role admin", "token issue --user ann"} {
		if code, _, reported := called(t, strings.Fields(words)...); code != codeDone {
			t.Fatal(reported)
		}
	}
	code, printed, reported = called(t, "doctor", "--output=json")
	var findings []doctor.Finding
	if err := json.Unmarshal([]byte(printed), &findings); err != nil || code != codeDone || reported != "" || len(findings) != 12 {
		t.Errorf("of a healthy database doctor ends with %d, reports %q and prints\n%s", code, reported, printed)
	}
	for _, f := range findings {
		if f.State != doctor.OK {
			t.Errorf("of a healthy database doctor says %v", f)
		}
	}
	for _, word := range []string{`"name":"settings"`, `"state":"ok"`, `"found":"`, `"hint":""`} {
		if !strings.Contains(printed, word) {
			t.Errorf("without %s doctor prints %s", word, printed)
		}
	}
}

// private runs the private database of the folder until the test ends, and is a
// connection to it.
func private(t *testing.T, folder string) *pgx.Conn {
	t.Helper()
	server, err := localpg.Start(t.Context(), localpg.Options{Dir: folder, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	conn, err := pgx.Connect(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// contract 1.67, 1.68
func TestDoctorExplainsAnUnreachableDatabaseWithoutThePassword(t *testing.T) {
	for url, want := range map[string][2]string{
		"postgres://ann:hush@127.0.0.1:1/kontor":          {"connection refused", "check that the database is running"},
		"mysql://ann:hush@127.0.0.1/kontor":               {"--database-url (KONTOR_DATABASE_URL): must look like", "kontor serve --help"},
		"postgres://ann:hush@127.0.0.1:1/kontor?port=hot": {"--database-url (KONTOR_DATABASE_URL): cannot parse", "kontor serve --help"},
	} {
		code, printed, reported := called(t, "doctor", "--output=json", "--database-url="+url)
		var findings []doctor.Finding
		if err := json.Unmarshal([]byte(printed), &findings); err != nil || code != codeFound || len(findings) == 0 {
			t.Fatalf("of %s doctor ends with %d, reports %q and prints %s", url, code, reported, printed)
		}
		last := findings[len(findings)-1]
		if last.State != doctor.Fail || !strings.Contains(last.Found, want[0]) || !strings.Contains(last.Hint, want[1]) {
			t.Errorf("of %s doctor says %v", url, last)
		}
		if strings.Contains(printed+reported, "hush") {
			t.Errorf("of %s doctor shows the password: %s%s", url, printed, reported)
		}
	}
}

func TestDoctorChecksTheSettingsFirst(t *testing.T) {
	code, printed, _ := called(t, "doctor", "--database-url="+nowhere, "--listen=8080", "--log-level=loud")
	for _, line := range []string{
		"fail  settings  --listen (KONTOR_LISTEN): must be an address and a port up to 65535, such as 127.0.0.1:8080\n                -> kontor serve --help",
		"fail  settings  --log-level (KONTOR_LOG_LEVEL): must be debug, info, warn or error\n",
	} {
		if code != codeFound || !strings.Contains(printed, line) || strings.Contains(printed, "database") {
			t.Errorf("doctor ends with %d and prints, without %s,\n%s", code, line, printed)
		}
	}
}
