package httpapi

import (
	"io"
	"strings"
	"testing"

	"golang.org/x/sync/semaphore"

	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/domain/fault"
)

// contract 2.39
func TestCallsHoldABoundedNumberOfBytes(t *testing.T) {
	api := &API{memory: semaphore.NewWeighted(maxHeld), inFlight: traffic.NewInFlight(0, 0)}
	one, other := &call{api: api}, &call{api: api}
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
	one.done()
	if err := other.hold(maxHeld - 1); err != nil {
		t.Errorf("after the first call: %v", err)
	}
	other.done()
}
