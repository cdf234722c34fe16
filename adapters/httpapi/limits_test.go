package httpapi

import (
	"io"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/gate"
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

// contract 2.39, 3.36
func TestDocumentsAndLargeBodiesAreLimitedTogether(t *testing.T) {
	limits := newLimits(&Config{Heavy: gate.NewInFlight(1, 100)})
	for _, g := range []*gate.Gate{limits.documents, limits.bodies} {
		if most := g.State().Max; most != 16 {
			t.Errorf("%d may be in work at the same time", most)
		}
	}
	for _, pair := range [][2]*gate.Gate{{limits.documents, limits.bodies}, {limits.bodies, limits.documents}} {
		leave, err := pair[0].Enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pair[1].Enter(t.Context()); !fault.Is(err, fault.Unavailable) {
			t.Errorf("beyond what may be heavy: %v", err)
		}
		leave()
	}
}
