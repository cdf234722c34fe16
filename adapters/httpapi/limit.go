package httpapi

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/kontor-crm/kontor/domain/token"
)

// limiter lets each token make so many requests in a second. A token that was
// quiet may make a second's worth at once.
type limiter struct {
	perSecond float64
	burst     int
	now       func() time.Time

	mu      sync.Mutex
	buckets map[token.ID]*rate.Limiter
}

// maxBuckets is how many tokens are watched before those that are forgotten of
// which there is nothing to remember.
const maxBuckets = 10_000

// newLimiter makes a limiter; one of 0 requests lets everything pass.
func newLimiter(perSecond float64) *limiter {
	return &limiter{
		perSecond: perSecond,
		burst:     max(int(math.Ceil(perSecond)), 1),
		now:       time.Now,
		buckets:   map[token.ID]*rate.Limiter{},
	}
}

// admit counts a request of the token and writes into the header what is left.
// One too many is refused with 429. A caller without a token is not counted.
func (l *limiter) admit(id token.ID, header http.Header) error {
	if l.perSecond == 0 || id == 0 {
		return nil
	}
	now := l.now()
	bucket := l.bucket(id, now)
	admitted := bucket.AllowN(now, 1)
	left := max(bucket.TokensAt(now), 0)
	header.Set("RateLimit-Limit", strconv.Itoa(l.burst))
	header.Set("RateLimit-Remaining", strconv.Itoa(int(left)))
	header.Set("RateLimit-Reset", l.seconds(float64(l.burst)-left))
	if admitted {
		return nil
	}
	return refusal{
		status: http.StatusTooManyRequests,
		detail: "the token has made more than " + strconv.FormatFloat(l.perSecond, 'f', -1, 64) + " requests per second",
		wait:   l.seconds(1 - left),
	}
}

// seconds is in how many whole seconds there are so many more requests.
func (l *limiter) seconds(requests float64) string {
	return strconv.Itoa(int(math.Ceil(requests / l.perSecond)))
}

func (l *limiter) bucket(id token.ID, now time.Time) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.buckets[id]; ok {
		return b
	}
	if len(l.buckets) >= maxBuckets {
		l.forget(now)
	}
	b := rate.NewLimiter(rate.Limit(l.perSecond), l.burst)
	l.buckets[id] = b
	return b
}

// forget drops the buckets that are full again: a new one is the same.
func (l *limiter) forget(now time.Time) {
	for id, b := range l.buckets {
		if b.TokensAt(now) >= float64(l.burst) {
			delete(l.buckets, id)
		}
	}
}
