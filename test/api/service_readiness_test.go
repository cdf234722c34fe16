package api_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// becomes waits until a readiness probe returns the status.
func (c *caller) becomes(status int) {
	c.s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); c.get("/readyz").status != status; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.s.t.Fatalf("readyz does not become %d", status)
		}
	}
}

// contract 1.17, 1.18
func TestReadyzFollowsDatabase(t *testing.T) {
	t.Parallel()
	s := serve(t, pgtest.EmptyURL(t))
	s.nobody().get("/readyz").wants(http.StatusServiceUnavailable)
	if err := bootstrap.Migrate(t.Context(), bootstrap.Defaults(s.served)); err != nil {
		t.Fatal(err)
	}
	s.nobody().becomes(http.StatusOK)
	s.execute("delete from schema_migrations where version_id = (select max(version_id) from schema_migrations)")
	s.nobody().becomes(http.StatusServiceUnavailable)
	s.nobody().get("/healthz").wants(http.StatusOK)
}

func TestServiceIsReadyWithOpenConnections(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the pool of its connections")
	s := start(t, withMetrics)
	s.nobody().becomes(http.StatusOK)
	if m := s.metrics(); m[`kontor_pool_connections{state="idle"}`]+m[`kontor_pool_connections{state="acquired"}`] < 4 {
		t.Errorf("%v connections are idle, want 4", m[`kontor_pool_connections{state="idle"}`])
	}
}

// contract 1.79
func TestReadyzWaitsForNoRequest(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the pool of its connections")
	s := start(t, func(c *bootstrap.Config) { c.MaxConnections = 4 })
	for _, name := range []string{"admin", "viewer"} {
		s.as(name).get("/rest/client").wants(http.StatusOK) // the tokens are cached
	}
	pool, release := s.holdLock("lock table clients in access exclusive mode")
	var blocked sync.WaitGroup
	for range 20 {
		blocked.Go(func() { s.as("viewer").get("/rest/client").wants(http.StatusOK) })
	}
	for pgtest.LockWaits(t, pool) < 2 {
		time.Sleep(time.Millisecond)
	}
	s.nobody().becomes(http.StatusOK) // on a busy machine, connecting may take longer than a check
	var probes sync.WaitGroup
	for range 200 {
		probes.Go(func() { s.nobody().get("/readyz").wants(http.StatusOK) })
	}
	probes.Wait()
	if n := pgtest.LockWaits(t, pool); n != 2 {
		t.Errorf("%d requests were waiting for the lock, want 2", n)
	}
	release()
	blocked.Wait()
}
