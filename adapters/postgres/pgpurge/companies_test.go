package pgpurge

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
	companies "github.com/kontor-crm/kontor/application/company"
	ports "github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

// clock runs on from now.
type clock struct{ since time.Time }

func (c clock) Now() time.Time         { return now.Add(c.Elapsed()) }
func (c clock) Elapsed() time.Duration { return time.Since(c.since) }

// contract 4.92, 14.43
func TestPurgeReachesCompaniesThatNobodyUses(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	store, err := pgcompany.NewStore(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	from := clock{time.Now()}
	all := companies.New(store, from)
	var tenants []testCompany
	for _, name := range []string{"bakery", "closed", "mill"} {
		added, err := all.Add(t.Context(), name, workload.Zone)
		if err != nil {
			t.Fatal(err)
		}
		in, err := postgres.InCompany(url, added.Code)
		if err != nil {
			t.Fatal(err)
		}
		c := testCompany{workload.OpenCompany(t, in)}
		c.Office = fixture.Open(t, c.Tx)
		c.claim(1, "/expired", 48*time.Hour)
		c.claim(1, "/valid", time.Hour)
		tenants = append(tenants, c)
	}
	if err := all.Disable(t.Context(), "closed"); err != nil {
		t.Fatal(err)
	}
	open := func(ctx context.Context, of ports.Company) (postgres.DB, func(), error) {
		pool, err := postgres.OpenCompanies(ctx, postgres.Config{URL: url, MaxConns: 1, Zone: "UTC"}, 100)
		if err != nil {
			return nil, nil, err
		}
		return pool.DB(of, nil), pool.Close, nil
	}
	var log strings.Builder
	w := NewCompaniesWorker(store, open, from, slog.New(slog.NewTextHandler(&log, nil)))
	w.period = 30 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	for _, c := range tenants {
		for deadline := time.Now().Add(30 * time.Second); c.paths() != "/valid"; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("left are %s; log: %s", c.paths(), &log)
			}
		}
	}
	cancel()
	<-ended
	if log.Len() > 0 {
		t.Error(log.String())
	}
}
