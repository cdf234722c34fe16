package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// withPatience lets statements and requests wait for locks for longer than a test takes.
func withPatience(c *bootstrap.Config) {
	c.MaxConnections, c.LockTimeout, c.StatementTimeout = 32, 50*time.Second, 50*time.Second
	c.RequestTimeout = time.Minute
}

// pile sends writes of a client that is locked until release, and returns when as many as may hold a connection
// wait for the lock.
func (s *service) pile(writes, holding int) (responses chan *reply, release func()) {
	s.t.Helper()
	pool, unlock := s.holdLock("select from clients where id = 1 for update")
	responses = make(chan *reply, writes)
	for range writes {
		go func() { responses <- s.as("manager").patch("/rest/client/1", fields{"phone": "1"}) }()
	}
	for start := time.Now(); pgtest.LockWaits(s.t, pool) < holding; time.Sleep(time.Millisecond) {
		if time.Since(start) > 20*time.Second {
			s.t.Fatalf("%d writes wait for the lock, want %d", pgtest.LockWaits(s.t, pool), holding)
		}
	}
	return responses, unlock
}

// contract 3.73
func TestWritesThatWaitLeaveConnectionsToOthers(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the share of its connections")
	const writes = 20
	s := start(t, withOfficeClock, withPatience)
	company := s.addCompany("bakery", "UTC")
	for _, of := range []*service{s, company} {
		of.as("manager").post("/rest/client", fields{"name": "Acme", "type": 1}).wants(http.StatusOK)
	}
	for _, c := range []struct {
		name     string
		locked   *service
		newcomer string
	}{{"the default company", s, "new"}, {"another one", company, "newer"}} {
		responses, release := c.locked.pile(writes, 12)
		for _, of := range []*service{s, company} {
			for range 20 {
				of.as("viewer").get("/rest/client/1").wants(http.StatusOK)
			}
			of.as("admin").post("/rest/client", fields{"name": "Of another caller", "type": 1}).wants(http.StatusOK)
			of.addUser(c.newcomer, "Ne", "Wly", user.Viewer) // whose token no request has used
			of.as(c.newcomer).get("/rest/client/1").wants(http.StatusOK)
		}
		if len(responses) > 0 {
			t.Errorf("%s: %d writes did not wait until the others had read", c.name, len(responses))
		}
		release()
		for range writes {
			(<-responses).wants(http.StatusOK)
		}
	}
}

// contract 3.73, 3.36
func TestWriteThatWaitsTooLongForOthersOfItsCallerIsThrottled(t *testing.T) {
	t.Parallel()
	s := start(t, withPatience, func(c *bootstrap.Config) { c.CallerShare, c.StatementTimeout = 25, 500*time.Millisecond })
	s.as("manager").post("/rest/client", fields{"name": "Acme", "type": 1}).wants(http.StatusOK)
	_, release := s.holdLock("select from clients where id = 1 for update")
	defer release()
	const writes = 18
	responses := make(chan int, writes)
	for range writes {
		go func() { responses <- s.as("manager").patch("/rest/client/1", fields{"phone": "1"}).status }()
	}
	statuses := map[int]int{}
	for range writes {
		statuses[<-responses]++
	}
	if statuses[http.StatusTooManyRequests] == 0 || statuses[http.StatusServiceUnavailable] == 0 || len(statuses) != 2 {
		t.Errorf("the statuses are %v, want 503 of those that waited for the lock, and 429", statuses)
	}
	s.as("viewer").get("/rest/client/1").wants(http.StatusOK)
}

// contract 14.78
func TestCatalogueAndTokensAreReadWhileRequestsHoldAllConnections(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the pool of its connections")
	const most = 2
	s := start(t, withOfficeClock, withPatience, func(c *bootstrap.Config) { c.MaxConnections = 2 * most })
	company := s.addCompany("bakery", "UTC")
	s.as("viewer").get("/rest/client").wants(http.StatusOK) // its token is known
	pool, release := s.holdLock("lock table clients in access exclusive mode")
	responses := make(chan *reply, 2*most)
	for range cap(responses) {
		go func() { responses <- s.as("viewer").get("/rest/client") }()
	}
	for pgtest.LockWaits(t, pool) < most {
		time.Sleep(time.Millisecond)
	}
	company.as("viewer").get("/rest/client").wants(http.StatusOK)               // which nobody has used before
	s.as("admin").post("/rest/nothing", fields{}).rejected(http.StatusNotFound) // nor this token
	if len(responses) > 0 {
		t.Errorf("%d requests did not wait until the others had responses", len(responses))
	}
	release()
	for range cap(responses) {
		(<-responses).wants(http.StatusOK)
	}
}
