//go:build full

package program

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// killed runs the program and kills it after the pause, unless it has ended.
func killed(t *testing.T, pause time.Duration, line string) {
	t.Helper()
	program := exec.CommandContext(t.Context(), os.Args[0], strings.Fields(line)...)
	program.Env = append(os.Environ(), beKontor+"=yes")
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(pause, func() { _ = program.Process.Kill() })
	defer timer.Stop()
	_ = program.Wait() // killed or not
}

// schemas is how many companies have one.
func schemas(t *testing.T, pool *pgxpool.Pool) (n int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), "select count(*) from pg_namespace where nspname like 'company%'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// contract 14.5, 14.10, 14.20, 14.22
func TestCompanyCommandsThatAreKilledAreFinished(t *testing.T) {
	url := pgtest.URL(t)
	pool := pgtest.Pool(t, url)
	t.Setenv("KONTOR_DATABASE_URL", url)
	kontor(t, "company add first")
	state := func() string {
		var list []companyRow
		if err := json.Unmarshal([]byte(kontor(t, "company list --output json")), &list); err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.Name == "second" {
				return c.State
			}
		}
		return ""
	}
	for pause := 10 * time.Millisecond; pause < 400*time.Millisecond; pause += 37 * time.Millisecond {
		const add = "company add second"
		killed(t, pause, add)
		switch state() {
		case "":
			kontor(t, add)
		case "adding":
			if n := schemas(t, pool); n > 2 { // the server may be ending the transaction
				t.Fatalf("killed after %s, kontor %s has left %d schemas", pause, add, n)
			}
			kontor(t, add)
		}
		if s, n := state(), schemas(t, pool); s != "active" || n != 2 {
			t.Fatalf("killed after %s and repeated, kontor %s has left %q and %d schemas", pause, add, s, n)
		}
		kontor(t, "user add --company second --username ann --role admin")
		killed(t, pause, "migrate down --to 0 --really")
		kontor(t, "migrate down --to 0 --really")
		killed(t, pause, "migrate up")
		if status := kontor(t, "migrate up"); strings.Contains(status, "missing") || strings.Contains(status, "1 of 2") {
			t.Fatalf("killed after %s and repeated, the migration has left\n%s", pause, status)
		}
		killed(t, pause, "company remove second --really")
		if s := state(); s != "" {
			kontor(t, "company remove second --really")
		}
		if s, n := state(), schemas(t, pool); s != "" || n != 1 {
			t.Fatalf("killed after %s and repeated, the removal has left %q and %d schemas", pause, s, n)
		}
	}
}
