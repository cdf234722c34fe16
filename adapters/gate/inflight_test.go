package gate

import (
	"net/netip"
	"sync"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports"
)

var (
	ann  = ports.Caller{Token: 1}
	bob  = ports.Caller{Token: 2}
	here = ports.Caller{Address: netip.MustParsePrefix("192.0.2.1/32")}
)

func enter(t *testing.T, f *InFlight, of ports.Caller, times int) {
	t.Helper()
	for range times {
		if err := f.Enter(of); err != nil {
			t.Fatalf("%+v: %v", of, err)
		}
	}
}

// contract 3.36
func TestInFlightLimitsOneCaller(t *testing.T) {
	f := NewInFlight(8, 25)
	enter(t, f, ann, 2)
	if err := f.Enter(ann); !fault.Is(err, fault.Throttled) {
		t.Errorf("beyond its share: %v", err)
	}
	enter(t, f, bob, 2)
	f.Leave(ann)
	enter(t, f, ann, 1)
}

// contract 3.32
func TestInFlightLimitsAllCallers(t *testing.T) {
	f := NewInFlight(3, 50)
	for id := range token.ID(3) {
		enter(t, f, ports.Caller{Token: id + 1}, 1)
	}
	if err := f.Enter(ports.Caller{Token: 4}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("beyond the limit: %v", err)
	}
	f.Leave(ann)
	enter(t, f, ports.Caller{Token: 4}, 1)
}

// contract 3.36
func TestInFlightMovesARequestToItsToken(t *testing.T) {
	f := NewInFlight(8, 25)
	enter(t, f, here, 2)
	enter(t, f, ann, 1)
	if err := f.Enter(here); !fault.Is(err, fault.Throttled) {
		t.Errorf("a third look-up of an address: %v", err)
	}
	if err := f.Move(here, ann); err != nil {
		t.Fatal(err)
	}
	if err := f.Move(here, ann); !fault.Is(err, fault.Throttled) {
		t.Errorf("beyond the share of the token: %v", err)
	}
	enter(t, f, here, 1) // of the one that was moved
	for _, of := range []ports.Caller{here, here, ann, ann} {
		f.Leave(of)
	}
	if f.all != 0 || len(f.byCaller) != 0 {
		t.Errorf("after all have left, %d of %v are in flight", f.all, f.byCaller)
	}
}

func TestInFlightWithoutALimitCountsNothing(t *testing.T) {
	f := NewInFlight(0, 25)
	enter(t, f, ann, 1000)
	if err := f.Move(ann, bob); err != nil || len(f.byCaller) != 0 {
		t.Errorf("%v, %v", err, f.byCaller)
	}
	f.Leave(bob)
}

func TestInFlightOfManyCallersTakesMemoryForThoseInFlight(t *testing.T) {
	f := NewInFlight(10, 25)
	var callers sync.WaitGroup
	for id := range token.ID(8) {
		callers.Go(func() {
			for i := range token.ID(1000) {
				of := ports.Caller{Token: 8*i + id}
				if f.Enter(of) == nil {
					f.Leave(of)
				}
			}
		})
	}
	callers.Wait()
	if f.all != 0 || len(f.byCaller) != 0 {
		t.Errorf("after all have left, %d of %d callers are in flight", f.all, len(f.byCaller))
	}
}
