package tenant

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// The limits of Live.
const (
	// checkEvery is how long the catalogue is not read again, and freshFor bounds how late a
	// change is noticed while it can be read: between the two, no request waits for reading.
	checkEvery = time.Second
	freshFor   = 2 * time.Second
	// patience is how long a request waits for reading before it is served from what is known.
	patience = 250 * time.Millisecond
	// checkTimeout is for reading the catalogue, and openTimeout for making a value, which no
	// request cancels.
	checkTimeout = 5 * time.Second
	openTimeout  = 15 * time.Second
	// idleAfter is how long a value is kept without a request.
	idleAfter = 10 * time.Minute
	// liveAtMost is how many values are kept, unless more have been in use within busyFor.
	liveAtMost = 200
	busyFor    = time.Minute
)

// Live caches a value for each company in use, such as all that the process keeps of the company.
// A value is created on first use. It is dropped after ten minutes without use, when the
// company's time zone or node changes, when the company is no longer active, or as the least
// recently used one when there are too many.
//
// It reads the version of the catalogue at most every second, or as often as calls with
// unknown codes demand, and only while there are requests. While that takes long or fails,
// companies that are known are served as they were known last.
type Live[V any] struct {
	catalogue tenant.Catalogue
	clock     ports.Clock
	open      func(ctx context.Context, c tenant.Tenant) (V, error)
	drop      func(V)

	reading singleflight.Group // of the catalogue
	opening singleflight.Group // of values, by code

	mu      sync.Mutex
	listing tenant.Listing
	known   map[tenant.Code]tenant.Tenant
	checked time.Duration // when the last check began; 0: never
	isLate  bool          // the catalogue could not be read in time since then
	values  map[tenant.Code]*value[V]
}

type value[V any] struct {
	of   tenant.Tenant
	made V
	used time.Duration
}

// NewLive returns a cache that creates values by open and calls drop for each value that it
// drops. Both may block: only requests of the same company wait.
func NewLive[V any](
	catalogue tenant.Catalogue, clock ports.Clock, open func(ctx context.Context, c tenant.Tenant) (V, error), drop func(V),
) *Live[V] {
	return &Live[V]{catalogue: catalogue, clock: clock, open: open, drop: drop, values: map[tenant.Code]*value[V]{}}
}

var errCatalogue = fault.New(fault.Unavailable, "the database does not respond; try again")

// Find returns the value of an active company; ok is false if there is none with the code. The
// error is a fault.Unavailable if nothing is known of the company and the catalogue cannot be
// read, or else that of open. A company that was added is found after that time, or two seconds.
func (l *Live[V]) Find(ctx context.Context, code tenant.Code, within time.Duration) (v V, ok bool, err error) {
	c, err := l.current(ctx, code, within)
	if err != nil || c.State != tenant.Active {
		return v, false, err
	}
	if v, ok := l.recall(c); ok {
		return v, true, nil
	}
	v, err = l.make(ctx, c)
	return v, err == nil, err
}

// current returns the company, the zero value if there is none. It has the catalogue read if it is time.
func (l *Live[V]) current(ctx context.Context, code tenant.Code, within time.Duration) (tenant.Tenant, error) {
	c, isKnown, age, isLate := l.lookUp(code)
	switch {
	case !isKnown && age >= min(within, freshFor):
		if err := l.check(ctx); err != nil {
			return c, err
		}
	case age < checkEvery:
		return c, nil
	case age < freshFor || isLate:
		l.reread()
		return c, nil
	default: // there was no request for a while
		l.recheck(ctx)
	}
	c, _, _, _ = l.lookUp(code)
	return c, nil
}

// lookUp is what is known of the company, for how long nothing was read, and whether that is
// because reading takes long.
func (l *Live[V]) lookUp(code tenant.Code) (c tenant.Tenant, isKnown bool, age time.Duration, isLate bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, isKnown = l.known[code]
	if l.known == nil {
		return c, false, freshFor, l.isLate
	}
	return c, isKnown, l.clock.Elapsed() - l.checked, l.isLate
}

// check waits until the catalogue has been read again.
func (l *Live[V]) check(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return errCatalogue.WithCause(ctx.Err())
	case r := <-l.reread():
		if r.Err != nil {
			return errCatalogue.WithCause(r.Err)
		}
		return nil
	}
}

// recheck is like check, but gives up soon; the requests that follow do not wait at all.
func (l *Live[V]) recheck(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if l.check(ctx) != nil {
		l.mu.Lock()
		l.isLate = true
		l.mu.Unlock()
	}
}

// reread reads the version of the catalogue, and the catalogue if that differs, once for all
// requests that come meanwhile.
func (l *Live[V]) reread() <-chan singleflight.Result {
	return l.reading.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
		defer cancel()
		return nil, l.read(ctx)
	})
}

func (l *Live[V]) read(ctx context.Context) error {
	began := l.clock.Elapsed()
	version, err := l.catalogue.Version(ctx)
	if err != nil {
		return err
	}
	l.mu.Lock()
	listing, isFirst := l.listing, l.known == nil
	l.mu.Unlock()
	if version != listing.Version || isFirst {
		if listing, err = l.catalogue.List(ctx); err != nil {
			return err
		}
	}
	l.install(listing, began)
	return nil
}

// install makes the listing the known one, and drops the values that it ends.
func (l *Live[V]) install(listing tenant.Listing, read time.Duration) {
	l.mu.Lock()
	if listing.Version != l.listing.Version || l.known == nil {
		l.listing, l.known = listing, make(map[tenant.Code]tenant.Tenant, len(listing.Tenants))
		for _, c := range listing.Tenants {
			l.known[c.Code] = c
		}
	}
	l.checked, l.isLate = read, false
	ended := l.remove(func(v *value[V]) bool { return !isSame(v.of, l.known[v.of.Code]) })
	l.mu.Unlock()
	l.dropAll(ended)
}

// isSame reports whether the value of a company serves it still.
func isSame(of, now tenant.Tenant) bool {
	return now.State == tenant.Active && of.TimeZone == now.TimeZone && of.Node == now.Node
}

func (l *Live[V]) recall(c tenant.Tenant) (v V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, ok := l.values[c.Code]
	if !ok {
		return v, false
	}
	found.used = l.clock.Elapsed()
	return found.made, true
}

// make makes the value of a company, once for all requests that wait for it.
func (l *Live[V]) make(ctx context.Context, c tenant.Tenant) (v V, err error) {
	result := l.opening.DoChan(string(c.Code), func() (any, error) {
		if v, ok := l.recall(c); ok {
			return v, nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
		defer cancel()
		made, err := l.open(ctx, c)
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		l.values[c.Code] = &value[V]{of: c, made: made, used: l.clock.Elapsed()}
		l.mu.Unlock()
		return made, nil
	})
	select {
	case <-ctx.Done():
		return v, errCatalogue.WithCause(ctx.Err())
	case r := <-result:
		if r.Err != nil {
			return v, r.Err
		}
		return r.Val.(V), nil //nolint:forcetypeassert // the function above returns no other
	}
}

// Sweep drops idle values, and the least recently used ones if there are too many.
func (l *Live[V]) Sweep() {
	l.mu.Lock()
	now := l.clock.Elapsed()
	ended := l.remove(func(v *value[V]) bool { return now-v.used >= idleAfter })
	oldest := slices.SortedFunc(maps.Values(l.values), func(a, b *value[V]) int { return cmp.Compare(a.used, b.used) })
	for _, v := range oldest[:max(0, len(oldest)-liveAtMost)] {
		if now-v.used >= busyFor {
			delete(l.values, v.of.Code)
			ended = append(ended, v.made)
		}
	}
	l.mu.Unlock()
	l.dropAll(ended)
}

// remove removes the values, which the caller has to drop without the lock.
func (l *Live[V]) remove(ends func(*value[V]) bool) (removed []V) {
	for code, v := range l.values {
		if ends(v) {
			delete(l.values, code)
			removed = append(removed, v.made)
		}
	}
	return removed
}

func (l *Live[V]) dropAll(ended []V) {
	for _, v := range ended {
		l.drop(v)
	}
}

// Close drops all values.
func (l *Live[V]) Close() {
	l.mu.Lock()
	all := l.remove(func(*value[V]) bool { return true })
	l.mu.Unlock()
	l.dropAll(all)
}
