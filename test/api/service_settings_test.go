package api_test

import (
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.47
func TestCompanyHasAtMostHalfOfMaxConnections(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the pool of its connections")
	const most, callers = 3, 10
	s := start(t, func(c *bootstrap.Config) { c.MaxConnections = 2 * most })
	s.as("viewer").get("/rest/client").wants(200) // caches the token
	pool, release := s.holdLock("lock table clients in access exclusive mode")
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			if r := s.as("viewer").get("/rest/client"); r.status != 200 {
				t.Errorf("%d %s", r.status, r.body)
			}
		})
	}
	for pgtest.LockWaits(t, pool) < most {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond) // for an excess connection
	if n := s.count("pg_stat_activity", "application_name = 'kontor' and datname = current_database()"); n != most {
		t.Errorf("the service has %d connections, want %d", n, most)
	}
	release()
	group.Wait()
}

// contract 1.48, 1.49, 1.50, 3.22
func TestRequestTimeoutCancelsRequest(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "locks of the tables of Citus")
	const short, early = 200 * time.Millisecond, 3 * time.Second // the other limits are longer
	table, row := "lock table clients in access exclusive mode", "select id from clients where id = 1 for update"
	s := start(t)
	s.as("manager").post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
	for name, c := range map[string]struct {
		limit func(*bootstrap.Config)
		lock  string
	}{
		"a request":                         {func(c *bootstrap.Config) { c.RequestTimeout = short }, table},
		"a statement":                       {func(c *bootstrap.Config) { c.StatementTimeout = short }, table},
		"a statement that waits for a lock": {func(c *bootstrap.Config) { c.LockTimeout = short }, row},
	} {
		t.Run(name, func(t *testing.T) {
			limited := s.again(t, c.limit).as("manager")
			_, release := s.holdLock(c.lock)
			began := time.Now()
			r := limited.put("/rest/client/1", fields{"name": "b"})
			r.rejected(503)
			if took := time.Since(began); took < short || took > early {
				t.Errorf("the request ended after %v, want about %v", took, short)
			}
			if r.header.Get("Retry-After") == "" {
				t.Error("there is no Retry-After")
			}
			release()
			if got := s.again(t).as("manager").get("/rest/client/1").record()["name"]; got != "a" {
				t.Errorf("the client is called %v", got)
			}
		})
	}
}
