package traffic

import (
	"math"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// buckets is a token bucket for each key. A key without a bucket has a full one.
type buckets[K comparable] struct {
	perSecond float64
	burst     int
	now       func() time.Time // with a monotonic reading: setting the clock changes nothing

	mu  sync.Mutex
	all map[K]*rate.Limiter
}

// maxBuckets is how many keys are remembered.
const maxBuckets = 10_000

func newBuckets[K comparable](perSecond float64, burst int, now func() time.Time) *buckets[K] {
	return &buckets[K]{perSecond: perSecond, burst: burst, now: now, all: map[K]*rate.Limiter{}}
}

// left is what the key's bucket holds; negative if it is overdrawn.
func (b *buckets[K]) left(key K, now time.Time) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l, ok := b.all[key]; ok {
		return l.TokensAt(now)
	}
	return float64(b.burst)
}

func (b *buckets[K]) bucket(key K, now time.Time) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l, ok := b.all[key]; ok {
		return l
	}
	if len(b.all) >= maxBuckets {
		b.evict(now)
	}
	l := rate.NewLimiter(rate.Limit(b.perSecond), b.burst)
	b.all[key] = l
	return l
}

// evict drops the buckets that are full again: a new one is the same. If that is not
// enough, it drops others too, a tenth at once so that the next keys need no eviction.
func (b *buckets[K]) evict(now time.Time) {
	for key, l := range b.all {
		if l.TokensAt(now) >= float64(b.burst) {
			delete(b.all, key)
		}
	}
	for key := range b.all {
		if len(b.all) <= maxBuckets*9/10 {
			return
		}
		delete(b.all, key)
	}
}

// seconds returns the number of whole seconds in which a bucket gains the tokens.
func (b *buckets[K]) seconds(tokens float64) string {
	return strconv.Itoa(int(math.Ceil(tokens / b.perSecond)))
}
