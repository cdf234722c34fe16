package membudget

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
)

// contract 3.33
func TestWhatIsLargeTakesRoomUntilThereIsNoneLeft(t *testing.T) {
	var r Room
	large := r.Share()
	if err := large.Take(Free); err != nil || r.Held() != 0 {
		t.Errorf("what is small is counted as %d, %v", r.Held(), err)
	}
	if err := large.Take(Most); err != nil || r.Held() != Most {
		t.Errorf("all there is: %d, %v", r.Held(), err)
	}
	if err := large.Take(1); !fault.Is(err, fault.Malformed) || r.Held() != Most {
		t.Errorf("a byte more than there ever is ends with %v, and %d are held", err, r.Held())
	}
	other := r.Share()
	if err := other.Take(Free); err != nil {
		t.Errorf("what is small is refused because of another: %v", err)
	}
	if err := other.Take(1); !fault.Is(err, fault.Unavailable) {
		t.Errorf("what is no longer small ends with %v", err)
	}
	large.Keep(0)
	if err := other.Take(1); err != nil || r.Held() != 1 {
		t.Errorf("after it was given back: %d, %v", r.Held(), err)
	}
	other.Keep(0)
	if r.Held() != 0 {
		t.Errorf("%d are held by nobody", r.Held())
	}
}

func TestWhatIsMadeIsHeldWhetherThereIsRoomOrNot(t *testing.T) {
	var r Room
	s := r.Share()
	for _, bytes := range []int{Free - 1, Free + 10, 2 * Most, Free + 1, 3, 0} {
		s.Keep(bytes)
		if want := int64(max(bytes-Free, 0)); r.Held() != want {
			t.Errorf("of %d bytes %d are counted, want %d", bytes, r.Held(), want)
		}
	}
	s.Keep(Free / 2)
	if err := s.Take(Free/2 + 7); err != nil || r.Held() != 7 {
		t.Errorf("it goes on with %d, %v; want 7", r.Held(), err)
	}
}

// contract 3.34
func TestAnAnswerHasNoMoreRowsThanItMay(t *testing.T) {
	var r Room
	s := r.Share()
	if err := s.TakeRow(MostRows); err != nil || r.Held() != 2*MostRows-Free {
		t.Errorf("as many as it may: %d, %v", r.Held(), err)
	}
	if err := s.TakeRow(1); !fault.Is(err, fault.Malformed) {
		t.Errorf("a byte more ends with %v", err)
	}
}

func TestWhatBelongsToNoRequestIsNotCounted(t *testing.T) {
	s := From(context.Background())
	if s != nil || s.Take(2*Most) != nil || s.TakeRow(2*MostRows) != nil {
		t.Errorf("it is, by %+v", s)
	}
	var r Room
	mine := r.Share()
	if got := From(context.WithValue(t.Context(), Key{}, &mine)); got != &mine {
		t.Errorf("the share of a request is %p, want %p", got, &mine)
	}
}
