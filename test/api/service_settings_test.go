package api_test

import (
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.19
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
	n := s.count("pg_stat_activity", "application_name = 'kontor' and datname = current_database()")
	if n < most || n > most+bootstrap.UpkeepConnections {
		t.Errorf("the service has %d connections, want %d and at most %d for upkeep", n, most, bootstrap.UpkeepConnections)
	}
	release()
	group.Wait()
}
