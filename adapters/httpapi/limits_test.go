package httpapi

import (
	"io"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
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
