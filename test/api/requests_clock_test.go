package api_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// hands are those of a clock that goes on, or is set, when a test wants it.
type hands struct {
	mu      sync.Mutex
	at      time.Time
	elapsed time.Duration
}

func (h *hands) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hands) Elapsed() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.elapsed
}

// set sets the clock, forward or back.
func (h *hands) set(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = at
}

// goOn lets two seconds go by, for which what was found out about a token is
// remembered.
func (h *hands) goOn() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at, h.elapsed = h.at.Add(2*time.Second), h.elapsed+2*time.Second
}

// noon is where the clock stands at first.
var noon = time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)

// startBy is startBilling by a clock that can be set, with tokens that never
// expire.
func startBy(t testing.TB, options ...func(*bootstrap.Config)) (*service, *hands) {
	t.Helper()
	clock := &hands{at: noon}
	s := startBilling(t, append(options, func(c *bootstrap.Config) { c.Clock = clock })...)
	for name := range s.tokens {
		s.tokens[name] = s.token(name, 0)
	}
	if err := postgres.RecordZone(t.Context(), s.database, s.zone); err != nil { // as kontor serve does
		t.Fatal(err)
	}
	return s, clock
}

// token is a new one of the user.
func (s *service) token(username string, ttl time.Duration) string {
	s.t.Helper()
	secret, _, err := s.commands.Tokens.Issue(s.t.Context(), username, ttl)
	if err != nil {
		s.t.Fatal(err)
	}
	return secret.Token
}

// contract 4.90, 7.15, 10.14, 10.15, 10.16
func TestClockSetBackKeepsUpdatedAfterCreated(t *testing.T) {
	t.Parallel()
	s, clock := startBy(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "d", "client_id": 1}).wants(http.StatusOK)
	manager.post("/rest/invoice", bill(fields{"deal_id": 1})).wants(http.StatusOK)
	turn := 0
	for _, at := range []struct {
		now    time.Time
		change string // when a change is said to have been
	}{
		{noon.Add(24 * time.Hour), "2024-03-10 12:00:00"},
		{noon.AddDate(10, 0, 0), "2034-03-09 12:00:00"},
		{noon.Add(time.Hour), "2024-03-09 13:00:00"},
		{noon.Add(-time.Hour), "2024-03-09 12:00:00"},
		{noon.Add(-24 * time.Hour), "2024-03-09 12:00:00"},
	} {
		clock.set(at.now)
		turn++
		for path, stamps := range map[string][]string{
			"/rest/client/1": {"updated_at"}, "/rest/deal/1": {"updated_at"}, "/rest/invoice/1": {"updated_on", "update_on", "paid_on"},
		} {
			change := fields{"name": strings.Repeat("x", turn), "status_id": 1 + turn%2}
			if path == "/rest/invoice/1" {
				manager.patch(path, fields{"paid": false}).wants(http.StatusOK)
				change = fields{"paid": true}
			}
			record := manager.patch(path, change).record()
			for _, name := range stamps {
				if got := text(record[name]); got != at.change {
					t.Errorf("at %s, %s has %s %s, want %s", at.now, path, name, got, at.change)
				}
			}
		}
	}
	// The history tells what came when by the clock of then, in the order in which it came.
	want := []string{
		"2024-03-09 12:00:00", "2024-03-09 12:00:00", "2024-03-10 12:00:00", "2034-03-09 12:00:00",
		"2024-03-09 13:00:00", "2024-03-09 11:00:00", "2024-03-08 12:00:00",
	}
	if diff := cmp.Diff(want, manager.get("/rest/deal/1/history").column("created_on")); diff != "" {
		t.Errorf("the history: -want +got\n%s", diff)
	}
}

// contract 3.10, 4.91, 5.8, 5.10
func TestClockSetBackKeepsTokenRevoked(t *testing.T) {
	t.Parallel()
	s, clock := startBy(t)
	s.tokens["viewer"] = s.token("viewer", time.Hour)
	ask := func(status int) {
		t.Helper()
		if got := s.as("viewer").get("/rest/client").status; got != status {
			t.Errorf("at %s the token gets %d, want %d", clock.Now(), got, status)
		}
	}
	ask(http.StatusOK)
	clock.set(noon.Add(time.Hour - time.Microsecond))
	ask(http.StatusOK)
	clock.set(noon.AddDate(0, 0, 1))
	ask(http.StatusUnauthorized)
	clock.set(noon.AddDate(10, 0, 0))
	clock.goOn()
	ask(http.StatusUnauthorized)
	clock.set(noon.Add(-24 * time.Hour))
	clock.goOn() // that it had expired is remembered
	ask(http.StatusOK)

	public := strings.Split(s.tokens["viewer"], "_")[1]
	if err := s.commands.Tokens.Revoke(t.Context(), public); err != nil {
		t.Fatal(err)
	}
	clock.set(clock.Now().Add(-time.Hour))
	clock.goOn()
	ask(http.StatusUnauthorized)
	for _, at := range []time.Time{noon, noon.AddDate(-10, 0, 0), noon.AddDate(10, 0, 0)} {
		clock.set(at)
		clock.goOn()
		ask(http.StatusUnauthorized)
	}
}

// contract 4.61, 4.91
func TestIdempotencyKeyExpiresAfterOneDay(t *testing.T) {
	t.Parallel()
	s, clock := startBy(t)
	send := func() *reply {
		return s.as("manager").under("k").post("/rest/client", fields{"name": "Anna", "type": 2}).wants(http.StatusOK)
	}
	first := send()
	for _, at := range []time.Time{noon.Add(24*time.Hour - time.Microsecond), noon.Add(-time.Hour), noon.Add(-24 * time.Hour), noon.AddDate(-10, 0, 0)} {
		clock.set(at)
		send().repeats(first)
	}
	clock.set(noon.Add(24 * time.Hour))
	if send().isReplayed() {
		t.Error("the key is still known a day later")
	}
	clock.set(noon)
	if !send().isReplayed() {
		t.Error("the key that was used a moment ago is forgotten when the clock is set back")
	}
	if n := s.count("clients", "name = 'Anna'"); n != 2 {
		t.Errorf("there are %d clients, want 2", n)
	}
}

// contract 4.91, 5.18
func TestRateLimitIgnoresClockChanges(t *testing.T) {
	t.Parallel()
	clock := &hands{at: noon}
	s := start(t, func(c *bootstrap.Config) { c.Clock, c.RateLimit = clock, 0.001 })
	s.tokens["admin"] = s.token("admin", 0)
	s.as("admin").get("/rest/client").wants(http.StatusOK)
	for _, at := range []time.Time{noon.AddDate(10, 0, 0), noon.Add(-24 * time.Hour), noon} {
		clock.set(at)
		s.as("admin").get("/rest/client").rejected(http.StatusTooManyRequests)
	}
}

// born is a record and when it was created.
type born struct {
	id string
	at time.Time
}

// newestFirst is the ids in the order of 4.16 and 4.13.
func newestFirst(all []born) []string {
	sorted := slices.Clone(all)
	slices.Reverse(sorted) // of those of one moment, the later one comes first
	slices.SortStableFunc(sorted, func(a, b born) int { return b.at.Compare(a.at) })
	ids := make([]string, len(sorted))
	for i, r := range sorted {
		ids[i] = r.id
	}
	return ids
}

// walks goes through the list of the path from page to page, and back.
func (s *service) walks(path string, want []string) {
	s.t.Helper()
	there, end := s.follows(path+"?per_page=3", "next", len(want))
	if diff := cmp.Diff(want, slices.Concat(there...)); diff != "" {
		s.t.Errorf("%s: -want +visited\n%s", path, diff)
	}
	back, _ := s.follows(end, "prev", len(want))
	slices.Reverse(back)
	if diff := cmp.Diff(there, back); diff != "" {
		s.t.Errorf("%s: -there +back\n%s", path, diff)
	}
}

// follows is the ids of the pages of a list of so many records, in the order in
// which the links of that name lead to them, and the address of the last.
func (s *service) follows(address, link string, total int) (pages [][]string, end string) {
	s.t.Helper()
	for range total + 1 {
		page := s.as("viewer").get(address)
		if got := page.header.Get("X-Pagination-Total-Count"); got != text(total) {
			s.t.Fatalf("%s counts %s of %d", address, got, total)
		}
		pages, end = append(pages, page.column("id")), address
		if address = page.links()[link]; address == "" {
			break
		}
	}
	return pages, end
}

// agrees holds what lists are read from against the records, when all that is
// noted has been added up.
func (s *service) agrees() {
	s.t.Helper()
	pool := pgtest.Pool(s.t, s.database)
	for more := true; more; {
		var err error
		if more, err = pgsummary.Fold(s.t.Context(), pool); err != nil {
			s.t.Fatal(err)
		}
	}
	differences, err := pgsummary.Verify(s.t.Context(), pool)
	if err != nil || len(differences) > 0 {
		s.t.Errorf("what lists are read from is wrong: %+v, %v", differences, err)
	}
}
