package membudget

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports/caller"
	"github.com/kontor-crm/kontor/ports/company"
)

var (
	ann = caller.Key{Token: 1}
	bob = caller.Key{Token: 2}
)

// contract 3.33
func TestBudgetRejectsLargeRequestsOnceExhausted(t *testing.T) {
	var b Budget
	large := b.Reservation(ann)
	if err := large.Reserve(Uncounted); err != nil || b.Held() != 0 {
		t.Errorf("a small request counts as %d, %v", b.Held(), err)
	}
	if err := large.Reserve(Max); err != nil || b.Held() != Max {
		t.Errorf("a request of the whole budget: %d, %v", b.Held(), err)
	}
	if err := large.Reserve(1); !fault.Is(err, fault.Malformed) || b.Held() != Max {
		t.Errorf("a byte beyond the budget: got error %v and %d held", err, b.Held())
	}
	other := b.Reservation(bob)
	if err := other.Reserve(Uncounted); err != nil {
		t.Errorf("a small request is rejected because of another: %v", err)
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
	s := b.Reservation(ann)
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

func TestReservationKnowsWhichBytesAreNotCounted(t *testing.T) {
	var b Budget
	s := b.Reservation(ann)
	if err := s.Reserve(100); err != nil {
		t.Fatal(err)
	}
	if !s.IsUncounted(Uncounted-100) || s.IsUncounted(Uncounted-99) {
		t.Errorf("beside 100 bytes: %t for as many as are not counted, %t for one more", s.IsUncounted(Uncounted-100), s.IsUncounted(Uncounted-99))
	}
	if none := (*Reservation)(nil); !none.IsUncounted(Uncounted + 1) {
		t.Error("bytes are counted without a reservation")
	}
}

func TestReservationReleaseReturnsBytesButNoRows(t *testing.T) {
	var b Budget
	s := b.Reservation(ann)
	if err := errors.Join(s.ReserveRow(Uncounted), s.Reserve(100)); err != nil {
		t.Fatal(err)
	}
	s.Release(100)
	if b.Held() != Uncounted {
		t.Errorf("%d bytes are counted, want those of the row, %d", b.Held(), Uncounted)
	}
	s.StartRows()
	if b.Held() != 0 {
		t.Errorf("%d bytes are counted when the rows are read again", b.Held())
	}
}

// contract 3.34
func TestReservationRejectsRowsBeyondTheMaximum(t *testing.T) {
	var b Budget
	s := b.Reservation(ann)
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
	mine := b.Reservation(ann)
	if got := From(context.WithValue(t.Context(), Key{}, &mine)); got != &mine {
		t.Errorf("the reservation of a request is %p, want %p", got, &mine)
	}
}

// contract 3.36
func TestBudgetLimitsOneCaller(t *testing.T) {
	b := Budget{Share: 25}
	first, second, others := b.Reservation(ann), b.Reservation(ann), b.Reservation(bob)
	reserve := func(r *Reservation, bytes int) {
		t.Helper()
		if err := r.Reserve(bytes); err != nil {
			t.Fatal(err)
		}
	}
	reserve(&first, Uncounted+Max/4)
	reserve(&second, Uncounted)
	if err := second.Reserve(1); !fault.Is(err, fault.Throttled) {
		t.Errorf("beyond the share: %v", err)
	}
	reserve(&others, Uncounted+Max/4)
	first.Set(Uncounted + Max/4 - 1)
	reserve(&second, 1)
	first.Set(0)
	reserve(&second, Max/2) // it is the only one
	if err := first.Reserve(Uncounted + 1); !fault.Is(err, fault.Throttled) {
		t.Errorf("beside a request that exceeds the share: %v", err)
	}
	if err := second.Reserve(Max / 2); !fault.Is(err, fault.Malformed) {
		t.Errorf("more than the budget: %v", err)
	}
	if err := second.Reserve(Max/4 + 1); !fault.Is(err, fault.Unavailable) {
		t.Errorf("beyond what all may hold: %v", err)
	}
	for _, r := range []*Reservation{&first, &second, &others} {
		r.Set(0)
	}
	if b.Held() != 0 || len(b.accounts)+len(b.groups) != 0 {
		t.Errorf("after all were returned, %d are held: %v", b.Held(), b.accounts)
	}
}

// contract 14.45
func TestBudgetLimitsACompanyWithManyTokens(t *testing.T) {
	b := Budget{Share: 25}
	var all []*Reservation
	reserve := func(of company.Code, bytes int) error {
		r := b.Reservation(caller.Key{Company: of, Token: token.ID(len(all) + 1)})
		all = append(all, &r)
		return r.Reserve(bytes + Uncounted)
	}
	expect := func(who string, err error, want fault.Kind) {
		t.Helper()
		if want == 0 && err != nil || want != 0 && !fault.Is(err, want) {
			t.Errorf("%s: %v", who, err)
		}
	}
	const first, second = "0a1b2c3d", "4e5f6071"
	expect("half of the budget", reserve(first, Max/4), 0)
	expect("half of the budget", reserve(first, Max/4), 0)
	expect("more than half", reserve(first, Max/8), fault.Throttled)
	expect("half of the rest", reserve(second, Max/4), 0)
	expect("more than that", reserve(second, Max/8), fault.Throttled)
	expect("the only request of the default company", reserve("", Max/4), 0)
	expect("one without anything left", reserve("8a9b0c1d", 1), fault.Unavailable)
	for _, r := range all {
		r.Set(0)
	}
	if b.Held() != 0 || len(b.accounts)+len(b.groups) != 0 {
		t.Errorf("after all were returned, %d are held: %v", b.Held(), b.groups)
	}
}

// The race detector finds accounts that are used without a lock.
func TestBudgetCountsConcurrentRequestsOfOneCaller(t *testing.T) {
	var b Budget
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				r := b.Reservation(ann)
				if err := r.Reserve(2 * Uncounted); err != nil {
					t.Error(err)
				}
				r.Set(0)
			}
		})
	}
	all.Wait()
	if b.Held() != 0 || len(b.accounts) != 0 || len(b.groups) != 0 {
		t.Errorf("%d bytes are held, by %d callers of %d groups", b.Held(), len(b.accounts), len(b.groups))
	}
}

// contract 3.33
func TestBudgetIsNotExhaustedByWhatItRejects(t *testing.T) {
	var b Budget
	first, small, rejected := b.Reservation(ann), b.Reservation(bob), b.Reservation(caller.Key{Token: 3})
	first.Set(Max - Uncounted)
	small.Set(Uncounted + 1)
	rejected.Set(Uncounted + 1)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := rejected.Reserve(Max - 1); err == nil {
				t.Error("more than the budget is held")
				return
			}
		}
	}()
	for range 500_000 {
		if err := small.Reserve(Uncounted); err != nil {
			t.Errorf("a request that fits is rejected: %v", err)
			break
		}
		small.Set(Uncounted + 1)
	}
	close(stop)
	<-stopped
}

// contract 3.34
func TestReservationHoldsTheRowsOfTheLastResult(t *testing.T) {
	var b Budget
	r := b.Reservation(ann)
	const body = 2 * Uncounted
	if err := r.Reserve(body); err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{MaxRows, MaxRows / 2, MaxRows} {
		r.StartRows()
		if err := r.ReserveRow(rows); err != nil || b.Held() != int64(body+2*rows-Uncounted) {
			t.Errorf("%d bytes of rows: %d are held, %v", rows, b.Held(), err)
		}
	}
	if err := r.ReserveRow(1); !fault.Is(err, fault.Malformed) {
		t.Errorf("a row beyond the maximum: %v", err)
	}
	r.StartRows()
	if b.Held() != body-Uncounted {
		t.Errorf("without rows, %d are held", b.Held())
	}
	(*Reservation)(nil).StartRows()
}

func TestReservationCountsNoRejectedRow(t *testing.T) {
	var b Budget
	r, other := b.Reservation(ann), b.Reservation(bob)
	if err := other.Reserve(Max + Uncounted); err != nil {
		t.Fatal(err)
	}
	if err := r.ReserveRow(Uncounted); !fault.Is(err, fault.Unavailable) {
		t.Fatal(err)
	}
	r.StartRows()
	if other.Set(0); b.Held() != 0 {
		t.Errorf("%d are held", b.Held())
	}
}

// The time of the rows of a large page.
func BenchmarkReserveRow(b *testing.B) {
	var budget Budget
	b.RunParallel(func(pb *testing.PB) {
		r := budget.Reservation(ann)
		_ = r.Reserve(Uncounted)
		for pb.Next() {
			if r.ReserveRow(100) != nil {
				r.Set(Uncounted)
			}
		}
		r.Set(0)
	})
}
