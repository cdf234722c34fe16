package traffic

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

// FailedAuthLimiter slows down guessing of tokens: each address may send a burst of invalid
// tokens, and then one per second.
//
// Chose: only invalid tokens are rejected. Because: other clients share the address: an office, or
// all clients of a proxy that is not trusted. Costs: a guess that is a valid token is not slowed
// down; with 256 bits, none does.
type FailedAuthLimiter struct{ *buckets[netip.Prefix] }

const (
	failedAuthBurst     = 60
	failedAuthPerSecond = 1
)

// NewFailedAuthLimiter returns a limiter on the clock, whose times have a monotonic reading.
func NewFailedAuthLimiter(now func() time.Time) *FailedAuthLimiter {
	return &FailedAuthLimiter{newBuckets[netip.Prefix](failedAuthPerSecond, failedAuthBurst, now)}
}

// Admit returns a 429 if the address has used up its invalid tokens.
func (l *FailedAuthLimiter) Admit(from netip.Prefix) error {
	left := l.left(from, l.now())
	if left >= 1 {
		return nil
	}
	return problem.Error{
		Status:     http.StatusTooManyRequests,
		Detail:     "too many invalid tokens came from this address; a valid token is still accepted, a new one within 2 seconds",
		RetryAfter: l.seconds(1 - left),
	}
}

// Count counts an invalid token.
func (l *FailedAuthLimiter) Count(from netip.Prefix) {
	now := l.now()
	l.bucket(from, now).ReserveN(now, 1)
}
