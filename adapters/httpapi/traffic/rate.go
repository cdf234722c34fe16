package traffic

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/ports"
)

// RateLimiter limits the requests per second of each token. An idle token may send one
// second's worth at once.
type RateLimiter struct{ *buckets[ports.Caller] }

// NewRateLimiter returns a limiter; 0 requests per second disables it.
func NewRateLimiter(perSecond float64) *RateLimiter {
	return &RateLimiter{newBuckets[ports.Caller](perSecond, max(int(math.Ceil(perSecond)), 1), time.Now)}
}

// Admit counts a request of the caller's token and sets the RateLimit headers. Beyond the limit
// it returns a 429. Requests without a token are not counted.
func (l *RateLimiter) Admit(key ports.Caller, header http.Header) error {
	if l.perSecond == 0 || key.Token == 0 {
		return nil
	}
	now := l.now()
	bucket := l.bucket(key, now)
	admitted := bucket.AllowN(now, 1)
	left := max(bucket.TokensAt(now), 0)
	header.Set("RateLimit-Limit", strconv.Itoa(l.burst))
	header.Set("RateLimit-Remaining", strconv.Itoa(int(left)))
	header.Set("RateLimit-Reset", l.seconds(float64(l.burst)-left))
	if admitted {
		return nil
	}
	return problem.Error{
		Status:     http.StatusTooManyRequests,
		Detail:     "the token has made more than " + strconv.FormatFloat(l.perSecond, 'f', -1, 64) + " requests per second",
		RetryAfter: l.seconds(1 - left),
	}
}
