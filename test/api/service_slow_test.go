package api_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// slowQuery looks at all lines of all invoices.
const slowQuery = "/rest/invoice-items?name=oak"

// slowState is how many slow statements run and wait.
func (s *service) slowState() (running, waiting int) {
	m := s.metrics()
	return int(m[`kontor_slow_statements{state="running"}`]), int(m[`kontor_slow_statements{state="waiting"}`])
}

// block lets slow queries of the users wait for a lock, as many as fit in, and the
// others for these. end releases them, and checks that all succeed.
func (s *service) block(running, waiting int, usernames ...string) (end func()) {
	s.t.Helper()
	pool, release := s.holdLock("lock table invoice_lines in access exclusive mode")
	var group sync.WaitGroup
	for _, name := range usernames {
		group.Go(func() {
			if r := s.as(name).get(slowQuery); r.status != 200 {
				s.t.Errorf("%s of %s: %d %s", slowQuery, name, r.status, r.body)
			}
		})
	}
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		r, w := s.slowState()
		if r == running && w == waiting && pgtest.LockWaits(s.t, pool) == running {
			break
		}
		if time.Since(start) > 20*time.Second {
			s.t.Fatalf("%d slow statements run and %d wait, want %d and %d", r, w, running, waiting)
		}
	}
	return func() {
		release()
		group.Wait()
	}
}

// withSlowConnections gives slow queries some of eight connections.
func withSlowConnections(n int) func(*bootstrap.Config) {
	return func(c *bootstrap.Config) {
		withMetrics(c)
		c.SlowConnections, c.LockTimeout, c.StatementTimeout = n, 25*time.Second, 25*time.Second
	}
}

// There are more slow queries than connections.
//
// contract 3.35
func TestSlowQueriesDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "its limits of slow queries")
	s := start(t, withSlowConnections(3))
	s.as("manager").post("/rest/client", fields{"name": "Acme", "type": 1}).wants(200)
	var usernames []string
	for i := range 12 {
		usernames = append(usernames, fmt.Sprintf("slow%d", i))
		s.addUser(usernames[i], "Slo", "Wly", user.Viewer)
		s.as(usernames[i]).get("/rest/user").wants(200) // its token is known now, without a connection for each at once
	}
	s.rebuild()
	end := s.block(3, 9, usernames...)
	for _, path := range []string{
		"/rest/client/1", "/rest/client", "/rest/client?sort=name", "/rest/client?user_id=2", "/rest/invoice?year=2024", "/rest/deal", "/rest/user",
	} {
		s.as("manager").get(path).wants(200)
	}
	s.as("manager").put("/rest/client/1", fields{"name": "Acme & Sons"}).wants(200)
	s.as("manager").post("/rest/contact", fields{"name": "Ann", "client_id": 1}).wants(200)
	s.addUser("new", "Ne", "Wly", user.Viewer) // whose token no request has used
	s.as("new").get("/rest/client/1").wants(200)
	if running, waiting := s.slowState(); running != 3 || waiting != 9 {
		t.Errorf("afterwards %d slow statements run and %d wait", running, waiting)
	}
	end()
	if running, waiting := s.slowState(); running+waiting > 0 {
		t.Errorf("at the end %d slow statements run and %d wait", running, waiting)
	}
}

// contract 3.35
func TestSlowQueriesOfOneCallerLeaveConnectionsForThoseOfOthers(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "locks of the tables of Citus")
	s := start(t, withSlowConnections(4))
	s.rebuild()
	end := s.block(1, 7, "viewer", "viewer", "viewer", "viewer", "viewer", "viewer", "viewer", "viewer")
	s.as("manager").get("/rest/client?sort=phone").wants(200)
	s.as("manager").get("/rest/client?name=ac").wants(200)
	end()
}

// contract 1.19, 3.35, 4.15
func TestSlowQueryThatTimesOutSaysWhatIsFaster(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "locks of the tables of Citus")
	s := start(t)
	s.rebuild()
	limited := s.again(t, func(c *bootstrap.Config) { c.StatementTimeout = 500 * time.Millisecond }).as("viewer")
	_, release := s.holdLock("lock table invoice_lines, clients, invoices, client_search in access exclusive mode")
	defer release()
	const sorts = "leave out sort, or sort by id, name, updated_at alone"
	for path, advice := range map[string]string{
		slowQuery:                                          "add invoice_id",
		"/rest/client?sort=phone":                          sorts + ", or add a filter, such as user_id",
		"/rest/client?sort=type,name&user_id=1":            sorts + ", or add a filter, such as type",
		"/rest/invoice?sort=number&page=50000":             "follow the links to the next page, or read the list from its other end",
		"/rest/client?name=ac":                             "search for a text with at least three letters or digits in a row",
		"/rest/client?name=acme":                           "search for a longer text",
		"/rest/invoice?company=acme":                       "search for a longer text",
		"/rest/invoice?year=2024&paid_year=2024&user_id=1": "use fewer filters",
	} {
		r := limited.get(path)
		p := r.rejected(503)
		if want := "the database did not finish this in time, and repeating it will not help: " + advice; p.Type != "urn:kontor:query-too-slow" || p.Detail != want {
			t.Errorf("%s: type %s, %q; want %q", path, p.Type, p.Detail, want)
		}
		if wait := r.header.Get("Retry-After"); wait != "" {
			t.Errorf("%s: Retry-After is %s", path, wait)
		}
	}
	r := limited.get("/rest/client") // which is not slow by itself
	if p := r.rejected(503); p.Type != "about:blank" || r.header.Get("Retry-After") == "" {
		t.Errorf("a list that is not slow: type %s, Retry-After %q", p.Type, r.header.Get("Retry-After"))
	}
}

// contract 3.35, 3.22
func TestSlowQueryBeyondTheQueueIsToBeRepeated(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "its limits of slow queries")
	s := start(t, withSlowConnections(1), func(c *bootstrap.Config) { c.MaxRequests = 6 })
	s.rebuild()
	users := []string{"viewer", "manager", "other"}
	for _, name := range users { // one at a time, as long as the token is not known
		s.as(name).get("/rest/status").wants(200)
	}
	end := s.block(1, 2, users...)
	r := s.as("admin").get("/rest/client?sort=phone")
	if p := r.rejected(503); p.Type != "about:blank" || r.header.Get("Retry-After") != "1" {
		t.Errorf("type %s, Retry-After %q", p.Type, r.header.Get("Retry-After"))
	}
	end()
}
