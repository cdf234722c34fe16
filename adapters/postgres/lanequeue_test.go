package postgres

import (
	"context"
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/company"
)

func newQueue(lanes, share int) *laneQueue {
	var all []*lane
	for range lanes {
		all = append(all, &lane{isFree: true})
	}
	q := newLaneQueue(all, share)
	return &q
}

// taken is the lane that the company gets at once; nil if it has to wait.
func taken(w *waiter) *lane {
	select {
	case l := <-w.given:
		return l
	default:
		return nil
	}
}

func TestLaneIsTheOneThatTheCompanyUsedLast(t *testing.T) {
	t.Parallel()
	q := newQueue(3, 3)
	a, b := taken(q.join("a")), taken(q.join("b"))
	if a == b {
		t.Fatal("two companies have the same lane")
	}
	q.free(b)
	q.free(a)
	for range 3 {
		for of, want := range map[company.Code]*lane{"a": a, "b": b} {
			if got := taken(q.join(of)); got != want {
				t.Errorf("%s gets a lane that it has not used", of)
			} else {
				q.free(got)
			}
		}
	}
	if c := taken(q.join("c")); c == a || c == b {
		t.Error("a third company gets a used lane, though one has never been used")
	}
}

// contract 14.41
func TestLanesGoToCompaniesInTurns(t *testing.T) {
	t.Parallel()
	q := newQueue(1, 1)
	l := taken(q.join("busy"))
	waiting := map[company.Code][]*waiter{}
	for range 50 {
		waiting["busy"] = append(waiting["busy"], q.join("busy"))
	}
	waiting["other"] = []*waiter{q.join("other")}
	served := 0
	for ; served < patience+3; served++ {
		q.free(l)
		if taken(waiting["other"][0]) != nil {
			break
		}
	}
	if served > patience+1 {
		t.Errorf("another company is served after %d requests of a busy one, want at most %d", served, patience+1)
	}
}

// contract 14.41
func TestLanesOfOneCompanyAreAShare(t *testing.T) {
	t.Parallel()
	q := newQueue(4, 2)
	first, second, third := taken(q.join("busy")), taken(q.join("busy")), q.join("busy")
	if first == nil || second == nil || taken(third) != nil {
		t.Fatal("want two of four lanes for one company")
	}
	if other := taken(q.join("other")); other == nil {
		t.Error("another company waits while two lanes are free")
	}
	q.free(second)
	if taken(third) != second {
		t.Error("a request gets no lane although its company holds one only")
	}
}

func TestLaneOfACancelledRequestGoesToTheNext(t *testing.T) {
	t.Parallel()
	q := newQueue(1, 1)
	l := taken(q.join("a"))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.take(cancelled, "b"); !fault.Is(err, fault.Unavailable) || len(q.turns) != 0 {
		t.Fatalf("%v, and %d companies still wait", err, len(q.turns))
	}
	next := q.join("c")
	q.free(l)
	if taken(next) != l {
		t.Fatal("the lane is lost")
	}
	q.free(l)
	if len(q.held) != 0 || len(q.holders) != 0 || !slices.Equal(l.used, []company.Code{"c", "a"}) {
		t.Errorf("held: %v, used by: %v", q.held, l.used)
	}
}
