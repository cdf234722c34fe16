package api_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 14.41
func TestDefaultCompanyUsesFewConnectionsBesideAnother(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the pool of its connections")
	const most, beside, callers = 8, 1, 6
	s := start(t, withOfficeClock, func(c *bootstrap.Config) { c.MaxConnections = most })
	other := s.addCompany("other", "UTC")
	check := func(want int, when string) {
		pool, release := s.holdLock("lock table clients in access exclusive mode")
		var group sync.WaitGroup
		for range callers {
			group.Go(func() { s.as("viewer").get("/rest/client").wants(http.StatusOK) })
		}
		for pgtest.LockWaits(t, pool) < want {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond) // for an excess connection
		if n := pgtest.LockWaits(t, pool); n != want {
			t.Errorf("the default company uses %d connections %s, want %d", n, when, want)
		}
		release()
		group.Wait()
	}
	check(callers, "while no other company uses any")
	other.as("viewer").get("/rest/client").wants(http.StatusOK)
	check(beside, "beside another company")
	other.as("viewer").get("/rest/client").wants(http.StatusOK)
}
