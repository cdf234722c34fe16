package membudget

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
)

// contract 3.33
func TestBudgetRefusesLargeRequestsOnceExhausted(t *testing.T) {
	var b Budget
	large := b.Reservation()
	if err := large.Reserve(Uncounted); err != nil || b.Held() != 0 {
		t.Errorf("a small request counts as %d, %v", b.Held(), err)
	}
	if err := large.Reserve(Max); err != nil || b.Held() != Max {
		t.Errorf("a request of the whole budget: %d, %v", b.Held(), err)
	}
	if err := large.Reserve(1); !fault.Is(err, fault.Malformed) || b.Held() != Max {
		t.Errorf("a byte beyond the budget: got error %v and %d held", err, b.Held())
	}
	other := b.Reservation()
	if err := other.Reserve(Uncounted); err != nil {
		t.Errorf("a small request is refused because of another: %v", err)
	}
	if err := other.Reserve(1); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a large request: got error %v", err)
	}
	large.Set(0)
	if err := other.Reserve(1); err != nil || b.Held() != 1 {
		t.Errorf("after the other was returned: %d, %v", b.Held(), err)
	}
	other.Set(0)
	if b.Held() != 0 {
		t.Errorf("%d are held after all were returned", b.Held())
	}
}

func TestReservationSetIgnoresTheLimit(t *testing.T) {
	var b Budget
	s := b.Reservation()
	for _, bytes := range []int{Uncounted - 1, Uncounted + 10, 2 * Max, Uncounted + 1, 3, 0} {
		s.Set(bytes)
		if want := int64(max(bytes-Uncounted, 0)); b.Held() != want {
			t.Errorf("of %d bytes %d are counted, want %d", bytes, b.Held(), want)
		}
	}
	s.Set(Uncounted / 2)
	if err := s.Reserve(Uncounted/2 + 7); err != nil || b.Held() != 7 {
		t.Errorf("Reserve after Set: %d, %v; want 7", b.Held(), err)
	}
}

// contract 3.34
func TestReservationRefusesRowsBeyondTheMaximum(t *testing.T) {
	var b Budget
	s := b.Reservation()
	if err := s.ReserveRow(MaxRows); err != nil || b.Held() != 2*MaxRows-Uncounted {
		t.Errorf("the maximum: %d, %v", b.Held(), err)
	}
	if err := s.ReserveRow(1); !fault.Is(err, fault.Malformed) {
		t.Errorf("one more byte: got error %v", err)
	}
}

func TestReservationOutsideARequestCountsNothing(t *testing.T) {
	s := From(context.Background())
	if s != nil || s.Reserve(2*Max) != nil || s.ReserveRow(2*MaxRows) != nil {
		t.Errorf("it is counted by %+v", s)
	}
	var b Budget
	mine := b.Reservation()
	if got := From(context.WithValue(t.Context(), Key{}, &mine)); got != &mine {
		t.Errorf("the reservation of a request is %p, want %p", got, &mine)
	}
}
