package tenant

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// office is a catalogue, and a clock that the test moves.
type office struct {
	mu              sync.Mutex
	listing         tenant.Listing
	fails           error
	versions, lists int
	elapsed         time.Duration
	opened, dropped []tenant.Code
	openFails       error
	hangs           bool // until the context ends
}

func (o *office) Version(ctx context.Context) (int64, error) {
	if o.hangs {
		<-ctx.Done()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.versions++
	return o.listing.Version, errors.Join(o.fails, ctx.Err())
}

func (o *office) List(context.Context) (tenant.Listing, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lists++
	return o.listing, o.fails
}

func (o *office) Now() time.Time         { return time.Time{} }
func (o *office) Elapsed() time.Duration { return o.elapsed }

func (o *office) set(all ...tenant.Tenant) {
	o.listing = tenant.Listing{Version: o.listing.Version + 1, Tenants: all}
}

func newLive(o *office) *Live[tenant.Code] {
	return NewLive(o, o, func(ctx context.Context, c tenant.Tenant) (tenant.Code, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.opened = append(o.opened, c.Code)
		return c.Code, errors.Join(o.openFails, ctx.Err())
	}, func(c tenant.Code) { o.dropped = append(o.dropped, c) })
}

// soon is within which most tests find new companies.
const soon = 250 * time.Millisecond

func find(t *testing.T, l *Live[tenant.Code], code tenant.Code) bool {
	t.Helper()
	v, ok, err := l.Find(t.Context(), code, soon)
	if err != nil || ok && v != code {
		t.Fatalf("%s: %q, %v", code, v, err)
	}
	return ok
}

// settle waits for the reading that goes on.
func settle(l *Live[tenant.Code]) {
	<-l.reading.DoChan("", func() (any, error) { return nil, nil })
}

func active(code tenant.Code) tenant.Tenant {
	return tenant.Tenant{Code: code, State: tenant.Active, TimeZone: "UTC"}
}

// contract 14.34, 14.43
func TestLiveNoticesChangesOfTheCatalogueWithinTwoSeconds(t *testing.T) {
	t.Parallel()
	o := &office{elapsed: time.Hour}
	o.set(active("a"), active("b"))
	l := newLive(o)
	if !find(t, l, "a") || !find(t, l, "b") || o.versions != 1 || o.lists != 1 {
		t.Fatalf("%d versions and %d lists are read for two companies", o.versions, o.lists)
	}
	disabled := active("b")
	disabled.State = tenant.Disabled
	o.set(active("a"), disabled)
	o.elapsed += checkEvery - 1
	if !find(t, l, "b") || o.versions != 1 {
		t.Fatal("the catalogue is read more often than every second")
	}
	o.elapsed++
	find(t, l, "b")
	settle(l)
	if find(t, l, "b") || !find(t, l, "a") || o.versions != 2 || o.lists != 2 {
		t.Fatalf("a disabled company is served after two seconds; %d versions and %d lists were read", o.versions, o.lists)
	}
	if len(o.dropped) != 1 || o.dropped[0] != "b" {
		t.Errorf("dropped are %v", o.dropped)
	}
	o.elapsed += freshFor
	if !find(t, l, "a") || o.versions != 3 || o.lists != 2 || len(o.opened) != 2 {
		t.Errorf("without a change, %d versions and %d lists were read, and values made for %v", o.versions, o.lists, o.opened)
	}
}

func TestLiveLooksForUnknownCompaniesAtALimitedRate(t *testing.T) {
	t.Parallel()
	o := &office{elapsed: time.Hour}
	l := newLive(o)
	for range 1000 {
		if find(t, l, "new") {
			t.Fatal("an unknown company is found")
		}
	}
	if o.versions != 1 {
		t.Errorf("%d versions were read for 1000 guesses at once", o.versions)
	}
	o.set(active("new"))
	o.elapsed += soon
	if _, ok, err := l.Find(t.Context(), "new", checkEvery); ok || err != nil || o.versions != 1 {
		t.Errorf("a call that is content with two seconds: %v, %v, %d versions were read", ok, err, o.versions)
	}
	if !find(t, l, "new") {
		t.Error("a new company is not found after a quarter of a second")
	}
}

// contract 14.34
func TestLiveFindsNewCompaniesWithinTwoSeconds(t *testing.T) {
	t.Parallel()
	o := &office{elapsed: time.Hour}
	l := newLive(o)
	find(t, l, "new")
	o.set(active("new"))
	o.elapsed += freshFor
	if _, ok, err := l.Find(t.Context(), "new", freshFor); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// contract 14.43
func TestLiveDropsIdleValues(t *testing.T) {
	t.Parallel()
	o := &office{elapsed: time.Hour}
	o.set(active("a"), active("b"))
	l := newLive(o)
	find(t, l, "a")
	find(t, l, "b")
	o.elapsed += idleAfter / 2
	find(t, l, "b")
	o.elapsed += idleAfter / 2
	l.Sweep()
	if len(o.dropped) != 1 || o.dropped[0] != "a" || len(l.values) != 1 {
		t.Errorf("dropped are %v", o.dropped)
	}
	if !find(t, l, "a") || len(o.opened) != 3 {
		t.Errorf("a dropped company is not made again: %v", o.opened)
	}
}

// contract 14.43
func TestLiveKeepsALimitedNumberOfValues(t *testing.T) {
	t.Parallel()
	o := &office{elapsed: time.Hour}
	var all []tenant.Tenant
	for i := range liveAtMost + 2 {
		all = append(all, active(tenant.Code(rune('a'+i))))
	}
	o.set(all...)
	l := newLive(o)
	for _, c := range all {
		find(t, l, c.Code)
		o.elapsed++
	}
	if l.Sweep(); len(o.dropped) != 0 {
		t.Fatalf("companies that were just used are dropped: %v", o.dropped)
	}
	o.elapsed = time.Hour + 1 + busyFor // since the second one was used
	l.Sweep()
	if len(o.dropped) != 2 || o.dropped[0] != all[0].Code || o.dropped[1] != all[1].Code {
		t.Errorf("dropped are %v, want the two that were unused for longest", o.dropped)
	}
}

func TestLiveMakesAValueAgainInAnotherZoneOrOnAnotherNode(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*tenant.Tenant){
		"zone": func(c *tenant.Tenant) { c.TimeZone, c.Name = "Asia/Tokyo", "renamed" },
		"node": func(c *tenant.Tenant) { c.Node = "10.0.0.33:5432" },
	} {
		t.Run(name, func(t *testing.T) {
			o := &office{elapsed: time.Hour}
			o.set(active("a"))
			l := newLive(o)
			find(t, l, "a")
			moved := active("a")
			change(&moved)
			o.set(moved)
			o.elapsed += freshFor
			if !find(t, l, "a") || len(o.opened) != 2 || len(o.dropped) != 1 {
				t.Errorf("made %v, dropped %v", o.opened, o.dropped)
			}
		})
	}
}

// contract 14.43
func TestLiveMakesOneValueForConcurrentRequests(t *testing.T) {
	t.Parallel()
	o := &office{elapsed: time.Hour}
	o.set(active("a"))
	l := newLive(o)
	var requests sync.WaitGroup
	for range 20 {
		requests.Go(func() {
			if _, ok, err := l.Find(t.Context(), "a", soon); !ok || err != nil {
				t.Errorf("%v, %v", ok, err)
			}
		})
	}
	requests.Wait()
	if len(o.opened) != 1 {
		t.Errorf("the value is made %d times", len(o.opened))
	}
}

// contract 14.78
func TestLiveServesKnownCompaniesWhileTheCatalogueCannotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &office{elapsed: time.Hour}
		disabled := active("b")
		disabled.State = tenant.Disabled
		o.set(active("a"), disabled)
		l := newLive(o)
		find(t, l, "a")
		takes := func(what string, want time.Duration) {
			t.Helper()
			start := time.Now()
			if !find(t, l, "a") || find(t, l, "b") || time.Since(start) != want {
				t.Errorf("%s: after %v instead of %v", what, time.Since(start), want)
			}
			synctest.Wait() // until the reading that goes on has used the clock
		}
		o.hangs = true
		o.elapsed += checkEvery
		takes("soon after the last reading", 0)
		o.elapsed = time.Hour + freshFor
		takes("later", patience)
		takes("after one has waited", 0)
		if _, ok, err := l.Find(t.Context(), "new", soon); ok || !fault.Is(err, fault.Unavailable) {
			t.Errorf("a company of which nothing is known: %v, %v", ok, err)
		}
		takes("after reading has failed", 0)
		settle(l)
		o.hangs = false
		o.set(disabled)
		find(t, l, "a")
		settle(l)
		if find(t, l, "a") {
			t.Error("a change is not noticed when the catalogue can be read again")
		}
	})
}

func TestLiveIsUnavailableWithoutTheCatalogue(t *testing.T) {
	t.Parallel()
	o := &office{elapsed: time.Hour, fails: errors.New("the database is down")}
	l := newLive(o)
	if _, ok, err := l.Find(t.Context(), "a", soon); ok || !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v, %v", ok, err)
	}
	o.fails = nil
	o.set(active("a"))
	o.openFails = errors.New("its schema is being migrated")
	if _, ok, err := l.Find(t.Context(), "a", soon); ok || !errors.Is(err, o.openFails) {
		t.Errorf("%v, %v", ok, err)
	}
	o.openFails = nil
	if !find(t, l, "a") {
		t.Error("a value that failed is not made again")
	}
}
