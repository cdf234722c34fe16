package bootstrap

import (
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/telemetry"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// contract 4.92, 14.43
func TestCompaniesWithoutRequestsArePurgedByOneInstance(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	c := Defaults(url)
	c.TimeZone = workload.Zone
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	tenants := []workload.Company{workload.OpenCompany(t, url)}
	if err := postgres.RecordZone(t.Context(), url, workload.Zone); err != nil {
		t.Fatal(err)
	}
	all, closeAll, err := NewCompanies(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	for _, name := range []string{"bakery", "closed"} {
		added, err := all.Add(t.Context(), name, workload.Zone)
		if err != nil {
			t.Fatal(err)
		}
		in, err := postgres.InTenant(url, added.Code)
		if err != nil {
			t.Fatal(err)
		}
		tenants = append(tenants, workload.OpenCompany(t, in))
	}
	if err := all.Disable(t.Context(), "closed"); err != nil {
		t.Fatal(err)
	}
	for _, tenant := range tenants {
		office := fixture.Open(t, tenant.Tx)
		_, err := tenant.Pool.Exec(t.Context(), `
insert into idempotency_keys (user_id, path, key, fingerprint, claimed_at, response)
values ($1, '/expired', 'a', sha256(''), now() - interval '48 hours', 'x'), ($1, '/valid', 'b', sha256(''), now(), 'x')`, office.Manager)
		if err != nil {
			t.Fatal(err)
		}
	}

	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	service, stop, err := newTenants(c, &telemetry.Telemetry{}, nil, logger)
	if err != nil {
		t.Fatal(err)
	}
	paths := func(tenant workload.Company) string {
		return tenant.Text("select string_agg(path, ' ') from idempotency_keys")
	}
	if err := pgtest.DB(t, url, workload.Zone).Alone(t.Context(), "purge", func() error {
		service.purge(t.Context())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if left := paths(tenants[1]); left != "/expired /valid" {
		t.Errorf("beside another instance that purges: left are %s", left)
	}
	service.purge(t.Context())
	for i, tenant := range tenants { // the default one on its own
		for end := time.Now().Add(30 * time.Second); paths(tenant) != "/valid"; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("in company %d, left are %s", i, paths(tenant))
			}
		}
	}
	stop()
	if log.Len() > 0 {
		t.Error(log.String())
	}
}

func TestDailyWorkIsDoneAtItsTimeOfTheDay(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	for at, want := range map[time.Duration]time.Duration{0: 3 * hour, 2*hour + 1: hour - 1, 3 * hour: 24 * hour, 4 * hour: 23 * hour} {
		if got := untilDaily(time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC).Add(at), 3*hour); got != want {
			t.Errorf("at %s: %s, want %s", at, got, want)
		}
	}
}

// contract 14.43
func TestWorkerPurgesAfterTheLastWrite(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	_, err := c.Pool.Exec(t.Context(), `
insert into idempotency_keys (user_id, path, key, fingerprint, claimed_at, response)
values ($1, '/expired', 'a', sha256(''), now() - interval '48 hours', 'x')`, c.Office.Manager)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(newClock(Defaults(c.URL)))
	defer w.stop()
	j := newTenantJob(&Tenants{worker: w}, upkeepDB{c.Pool}, slog.New(slog.DiscardHandler))
	j.purged = time.Now().Add(2*foldPause - purgePause) // a purge is due after the first round
	j.mark()
	waitFor(t, "what had expired before the write is deleted", func() bool {
		return c.Text("select count(*)::text from idempotency_keys") == "0"
	})
}

// openTenants opens the default company of a database with the rule 1, until the test ends or stop is called.
func openTenants(t *testing.T, w workload.Company, log *slog.Logger) (all *Tenants, stop func()) {
	t.Helper()
	c := Defaults(w.URL)
	c.TimeZone = workload.Zone
	w.Execute(`
insert into rules (name, resource, operations, mode, source, created_at, updated_at)
values ('one', 'deal', 7, 'enforce', 'program', now(), now())`)
	all, stop, err := newTenants(c, &telemetry.Telemetry{}, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return all, stop
}

func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 30 seconds", what)
		}
	}
}

// logged is a log that can be read while it is written.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

func TestWorkerLogsAFailureOnceAndRecovers(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	c.Execute("alter table read_model_state rename to hidden")
	var log logged
	openTenants(t, c, slog.New(slog.NewTextHandler(&log, nil)))
	waitFor(t, "a failure is logged", func() bool { return log.count("background work failed") == 1 })
	time.Sleep(retryPause + 2*foldPause) // a further round fails
	c.Execute("alter table hidden rename to read_model_state")
	waitFor(t, "the worker recovers", func() bool { return log.count("background work has recovered") == 1 })
	if n := log.count("background work failed"); n != 1 {
		t.Errorf("%d failures are logged, want the first", n)
	}
}
