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
	waiting := func() (n int) { // requests of the default company
		pool, release := s.holdLock("lock table clients in access exclusive mode")
		var group sync.WaitGroup
		for range callers {
			group.Go(func() { s.as("viewer").get("/rest/client").wants(http.StatusOK) })
		}
		for pgtest.LockWaits(t, pool) < beside {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(200 * time.Millisecond) // for an excess connection
		n = pgtest.LockWaits(t, pool)
		release()
		group.Wait()
		return n
	}
	if n := waiting(); n != callers {
		t.Errorf("the default company uses %d connections while no other one uses any, want %d", n, callers)
	}
	other.as("viewer").get("/rest/client").wants(http.StatusOK)
	if n := waiting(); n != beside {
		t.Errorf("the default company uses %d connections beside another one, want %d", n, beside)
	}
	other.as("viewer").get("/rest/client").wants(http.StatusOK)
}
