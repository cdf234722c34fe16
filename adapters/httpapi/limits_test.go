package httpapi

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
)

// contract 2.39
func TestCallsHoldABoundedNumberOfBytes(t *testing.T) {
	limits := newLimits(&Config{})
	one, other := &admission{limits: &limits}, &admission{limits: &limits}
	if err := one.hold(maxHeld); err != nil {
		t.Fatal(err)
	}
	if err := one.hold(uncounted); err != nil {
		t.Fatal(err)
	}
	if err := other.hold(uncounted); err != nil {
		t.Errorf("a small response: %v", err)
	}
	if _, err := io.ReadAll(heldBody{io.NopCloser(strings.NewReader("x")), other}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("one byte more: %v", err)
	}
	one.leave()
	if err := other.hold(maxHeld - 1); err != nil {
		t.Errorf("after the first call: %v", err)
	}
	other.leave()
}

// contract 2.39
func TestHeavyRequestsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ inFlight, share, wantWaiting, wantOfCaller int }{
		{256, 25, 128, 32}, {256, 100, 128, 128}, {2, 25, 1, 1}, {1, 25, 1, 1}, {0, 0, math.MaxInt32, math.MaxInt32},
	} {
		got := heavyLimits(&Config{MaxRequests: c.inFlight, CallerShare: ports.CallerShare(c.share)})
		if got.Running != 16 || got.PerCaller != 2 || got.Waiting != c.wantWaiting || got.WaitingPerCaller != c.wantOfCaller {
			t.Errorf("%d requests in flight, share %d: %+v", c.inFlight, c.share, got)
		}
	}
}
