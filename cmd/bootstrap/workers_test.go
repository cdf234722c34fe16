package bootstrap_test

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// contract 4.92, 14.43
func TestWorkersPurgeAllCompaniesWithoutRequests(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	c := bootstrap.Defaults(url)
	c.TimeZone = workload.Zone
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	tenants := []workload.Company{workload.OpenCompany(t, url)}
	if err := postgres.RecordZone(t.Context(), url, workload.Zone); err != nil {
		t.Fatal(err)
	}
	all, closeAll, err := bootstrap.NewCompanies(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	for _, name := range []string{"bakery", "closed"} {
		added, err := all.Add(t.Context(), name, workload.Zone)
		if err != nil {
			t.Fatal(err)
		}
		in, err := postgres.InCompany(url, added.Code)
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
	stop, err := bootstrap.StartWorkers(t.Context(), c, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	paths := func(tenant workload.Company) string {
		return tenant.Text("select string_agg(path, ' ') from idempotency_keys")
	}
	for i, tenant := range tenants {
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
