package api_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
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

// creationTime is a record and the time of its creation.
type creationTime struct {
	id string
	at time.Time
}

// newestFirst returns the ids in the order of clauses 4.15 and 4.13.
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
	db := pgtest.DB(s.t, s.database, s.zone)
	for more := true; more; {
		var err error
		if more, err = pgsummary.Fold(s.t.Context(), db); err != nil {
			s.t.Fatal(err)
		}
	}
	differences, err := pgsummary.Verify(s.t.Context(), db)
	if err != nil || len(differences) > 0 {
		s.t.Errorf("the read models differ from the records: %+v, %v", differences, err)
	}
}
