package traffic

import (
	"errors"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

func TestFailedAuthLimiterTakesBoundedMemory(t *testing.T) {
	for name, later := range map[string]time.Duration{"all at once": 0, "an hour apart": time.Hour} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)
			l := NewFailedAuthLimiter(func() time.Time { return now })
			overdrawn := netip.MustParsePrefix("192.0.2.1/32")
			for range maxBuckets {
				l.Count(overdrawn) // for hours to come
			}
			for i := range 2*maxBuckets - 2 { // so many that the second half evicts only some
				if i == maxBuckets-1 {
					now = now.Add(later)
				}
				address := netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)})
				l.Count(netip.PrefixFrom(address, 32))
				if len(l.all) > maxBuckets {
					t.Fatalf("%d addresses are remembered", len(l.all))
				}
			}
			if later > 0 && l.Admit(overdrawn) == nil {
				t.Error("an overdrawn address is evicted before full buckets")
			}
		})
	}
}

// Concurrent invalid tokens are all admitted, and count afterwards.
//
// contract 5.21
func TestFailedAuthLimiterCountsConcurrentFailures(t *testing.T) {
	l := NewFailedAuthLimiter(func() time.Time { return time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC) })
	from := netip.MustParsePrefix("192.0.2.1/32")
	for range failedAuthBurst + 100 {
		l.Count(from)
	}
	if p, _ := errors.AsType[problem.Error](l.Admit(from)); p.Status != http.StatusTooManyRequests || p.RetryAfter != "101" {
		t.Errorf("after 100 failures beyond the burst: %+v", p)
	}
}
