package httpapi

import (
	"math"
	"net/http"
	"strconv"

	"github.com/kontor-crm/kontor/domain/token"
)

// limiter lets each token make so many requests in a second. A token that was
// quiet may make a second's worth at once.
type limiter struct{ *buckets[token.ID] }

// newLimiter makes a limiter; one of 0 requests lets everything pass.
func newLimiter(perSecond float64) *limiter {
	return &limiter{newBuckets[token.ID](perSecond, max(int(math.Ceil(perSecond)), 1))}
}

// admit counts a request of the token and writes into the header what is left.
// One too many is refused with 429. A caller without a token is not counted.
func (l *limiter) admit(id token.ID, header http.Header) error {
	if l.perSecond == 0 || id == 0 {
		return nil
	}
	now := l.now()
	bucket := l.of(id, now)
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
