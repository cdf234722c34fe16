package lane

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/kontor-crm/kontor/adapters/postgres/cache"
	"github.com/kontor-crm/kontor/ports/company"
)

// quickUse is the share of the time for which a company may hold each of its lanes for short requests
// while others use lanes. A company that sends one request after the other hardly reaches it.
const quickUse = 0.6

// quickBurst is how long a company may hold its lanes for short requests before quickUse limits it. No
// short request takes longer.
const quickBurst = shortWait

// timeLimit limits how long companies hold lanes for short requests, with a token bucket of
// microseconds for each company.
//
// Chose a limit of the time over a pause after each request for which another one waits: two callers
// keep a processor busy although often none of their requests waits. With the pause, the p99 of another
// company was 1.7 to 2.1 times that alone beside two callers; with this limit it is 1.5 to 1.8 times
// beside any number of callers. Costs throughput of a company beside others: a third with two callers.
type timeLimit struct {
	lanes   int // that a company may hold for short requests
	buckets cache.Bounded[company.Code, *rate.Limiter]
}

// spend takes the time for which a short request has held a lane, and returns the pause that its
// company has to make.
func (t *timeLimit) spend(of company.Code, took time.Duration, now time.Time) (pause time.Duration) {
	bucket, ok := t.buckets.Get(of)
	if !ok {
		perSecond := quickUse * float64(t.lanes) * float64(time.Second/time.Microsecond)
		bucket = rate.NewLimiter(rate.Limit(perSecond), int(quickBurst.Microseconds()))
		t.buckets.Put(of, bucket)
	}
	return bucket.ReserveN(now, int(took.Microseconds())).DelayFrom(now)
}

// mustPause reports whether the company has spent all of its time.
func (t *timeLimit) mustPause(c company.Code, now time.Time) bool {
	bucket, ok := t.buckets.Get(c)
	return ok && bucket.TokensAt(now) <= -1 // less is a rounding error
}
