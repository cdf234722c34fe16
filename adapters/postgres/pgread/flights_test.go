package pgread

import (
	"errors"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
)

// A follower may be of another caller than the search that counts. It has to count for
// itself then: matches without a token are not used.
//
// contract 3.36
func TestFlightDoesNotShareTheThrottlingOfItsCaller(t *testing.T) {
	throttled, busy := fault.New(fault.Throttled, "too many of this caller"), fault.New(fault.Unavailable, "too many")
	for _, failed := range []error{throttled, busy} {
		var s flights
		leading, _, _ := s.join(t.Context(), "nord")
		following, leads, _ := s.join(t.Context(), "nord")
		if leads {
			t.Fatal("two searches count")
		}
		s.end("nord", leading, matches{}, failed)
		want := failed
		if errors.Is(failed, throttled) {
			want = nil
		}
		if m, err := following.wait(t.Context()); !errors.Is(err, want) || m.token != "" {
			t.Errorf("after %v the other search gets %+v, %v", failed, m, err)
		}
	}
}
