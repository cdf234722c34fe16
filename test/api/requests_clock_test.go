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
)

// settableClock is a clock that a test sets and advances.
type settableClock struct {
	mu      sync.Mutex
	at      time.Time
	elapsed time.Duration
}

func (h *settableClock) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *settableClock) Elapsed() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.elapsed
}

// set sets the clock, forward or back.
func (h *settableClock) set(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = at
}

// advance lets two seconds pass, after which a cached token is looked up again.
func (h *settableClock) advance() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at, h.elapsed = h.at.Add(2*time.Second), h.elapsed+2*time.Second
}

// noon is the initial time of the clock.
var noon = time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)

// startWithClock is startBilling with a settable clock and tokens that never expire.
func startWithClock(t testing.TB, options ...func(*bootstrap.Config)) (*service, *settableClock) {
	t.Helper()
	clock := &settableClock{at: noon}
	s := startBilling(t, append(options, func(c *bootstrap.Config) { c.Clock = clock })...)
	for name := range s.tokens {
		s.tokens[name] = s.token(name, 0)
	}
	if err := postgres.RecordZone(t.Context(), s.database, s.zone); err != nil { // as kontor serve does
		t.Fatal(err)
	}
	return s, clock
}

// token issues a token of the user.
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
	s, clock := startWithClock(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "d", "client_id": 1}).wants(http.StatusOK)
	manager.post("/rest/invoice", bill(fields{"deal_id": 1})).wants(http.StatusOK)
	turn := 0
	for _, at := range []struct {
		now    time.Time
		change string // the expected time of the change
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
	// The history has the clock's time of each change, in the order of the changes.
	want := []string{
		"2024-03-09 12:00:00", "2024-03-09 12:00:00", "2024-03-10 12:00:00", "2034-03-09 12:00:00",
		"2024-03-09 13:00:00", "2024-03-09 11:00:00", "2024-03-08 12:00:00",
	}
	if diff := cmp.Diff(want, manager.get("/rest/deal/1/history").column("created_on")); diff != "" {
		t.Errorf("the history: -want +got\n%s", diff)
	}
}

// creationTime is a record and the time of its creation.
type creationTime struct {
	id string
	at time.Time
}

// newestFirst returns the ids in the order of clauses 4.16 and 4.13.
func newestFirst(all []creationTime) []string {
	sorted := slices.Clone(all)
	slices.Reverse(sorted) // of equal times, the later record comes first
	slices.SortStableFunc(sorted, func(a, b creationTime) int { return b.at.Compare(a.at) })
	ids := make([]string, len(sorted))
	for i, r := range sorted {
		ids[i] = r.id
	}
	return ids
}

// traverses follows the links of the list from page to page, and back.
func (s *service) traverses(path string, want []string) {
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

// follows returns the ids of the pages to which the links of that name lead, and the
// address of the last page. It checks the total on each page.
func (s *service) follows(address, link string, total int) (pages [][]string, end string) {
	s.t.Helper()
	for range total + 1 {
		page := s.as("viewer").get(address)
		if got := page.header.Get("X-Pagination-Total-Count"); got != text(total) {
			s.t.Fatalf("%s: the total is %s, want %d", address, got, total)
		}
		pages, end = append(pages, page.column("id")), address
		if address = page.links()[link]; address == "" {
			break
		}
	}
	return pages, end
}

// verifyReadModels folds all changes and compares the read models with the records.
func (s *service) verifyReadModels() {
	s.t.Helper()
	pool := s.pool
	for more := true; more; {
		var err error
		if more, err = pgsummary.Fold(s.t.Context(), pool); err != nil {
			s.t.Fatal(err)
		}
	}
	differences, err := pgsummary.Verify(s.t.Context(), pool)
	if err != nil || len(differences) > 0 {
		s.t.Errorf("the read models differ from the records: %+v, %v", differences, err)
	}
}
