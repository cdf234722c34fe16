package lane

import (
	"context"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/company"
	"github.com/kontor-crm/kontor/ports/observe"
)

// clockOfQueue is moved by the test.
type clockOfQueue struct{ at time.Time }

func newQueue(lanes, share int) (*Queue, *clockOfQueue) {
	q := NewQueue(lanes, share)
	c := &clockOfQueue{time.Date(2024, 3, 9, 12, 0, 0, 0, time.UTC)}
	q.now = func() time.Time { return c.at }
	return q, c
}

// ask queues a request that counts as use by its company.
func (q *Queue) ask(of company.Code) *waiter {
	q.note(of)
	return q.join(of, "")
}

// taken is the lane that the request has been given; nil if it waits.
func taken(w *waiter) *Lane {
	select {
	case l := <-w.given:
		return l
	default:
		return nil
	}
}

func TestLaneIsOneThatTheCompanyUses(t *testing.T) {
	t.Parallel()
	q, _ := newQueue(3, 3)
	a, b := taken(q.join("a", "")), taken(q.join("b", ""))
	if a == b {
		t.Fatal("two companies have the same lane")
	}
	q.Free(b)
	q.Free(a)
	for range 3 {
		for of, want := range map[company.Code]*Lane{"a": a, "b": b} {
			if got := taken(q.join(of, "")); got != want {
				t.Fatalf("%s gets a lane that it does not use", of)
			}
			q.Free(want)
		}
	}
	if c := taken(q.join("c", "")); c == a || c == b {
		t.Error("a third company gets a lane with users, though one has none")
	}
}

// contract 15.11
func TestLaneHasUsersOfOneNode(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(3, 3)
	writes, reads := taken(q.join("a", "")), taken(q.join("a", "worker:1"))
	if writes == reads {
		t.Fatal("a lane has two nodes")
	}
	q.Free(reads)
	q.Free(writes)
	if l := taken(q.join("a", "worker:1")); l != reads {
		t.Fatal("a company gets a lane with another node, though one with the node is free")
	}
	q.Free(reads)
	taken(q.join("b", ""))
	taken(q.join("a", ""))
	waits := q.join("c", "worker:2")
	if taken(waits) != nil {
		t.Fatal("a lane changes its node at once, while most are in use")
	}
	clock.at = clock.at.Add(shortWait)
	q.serve("c")
	if taken(waits) != reads || reads.isUser("a", "worker:1") || len(reads.users) != 1 {
		t.Errorf("the users are %v, want only one, with the new node", reads.users)
	}
	if all := q.LanesTo("worker:2"); len(all) != 1 || all[0] != reads || len(q.LanesTo("worker:1")) != 0 {
		t.Error("the lanes to a node are not those whose users use it")
	}
}

// contract 15.11
func TestRequestWaitsForALaneToItsNode(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(2, 4)
	there, elsewhere := taken(q.join("a", "worker:1")), taken(q.join("b", "worker:2"))
	waits := q.join("a", "worker:1")
	q.Free(elsewhere)
	clock.at = clock.at.Add(shortWait)
	q.serve("a")
	if taken(waits) != nil {
		t.Fatal("a connection to another node is replaced at once")
	}
	q.Free(there)
	if taken(waits) != there {
		t.Error("the request does not get the lane to its node")
	}
	waits = q.join("a", "worker:1")
	clock.at = clock.at.Add(longWait)
	q.serve("a")
	if taken(waits) != elsewhere {
		t.Error("the request waits for longer than a new connection takes")
	}
}

// A request that has waited until its company may hold another lane gets the best one, not the one
// that is released at that time.
//
// contract 15.11
func TestReleasedLaneIsNotTakenIfABetterOneIsFree(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(3, 4)
	q.note("a")
	q.note("b")
	_, free := taken(q.join("a", "worker:1")), taken(q.join("a", "worker:1"))
	elsewhere := taken(q.join("b", "worker:2"))
	q.Free(free)
	waits := q.join("a", "worker:1") // while others use lanes, a company holds one for short requests
	if taken(waits) != nil {
		t.Fatal("the company gets more than its share")
	}
	clock.at = clock.at.Add(longWait) // the other request is a slow one now
	q.Free(elsewhere)
	if taken(waits) != free {
		t.Error("the request does not get the lane to its node")
	}
}

// contract 14.41
func TestLanesGoToCompaniesInTurns(t *testing.T) {
	t.Parallel()
	q, _ := newQueue(1, 1)
	l := taken(q.join("busy", ""))
	for range 50 {
		q.join("busy", "")
	}
	other := q.join("other", "")
	q.Free(l) // the first of the 50
	q.Free(l)
	if taken(other) != l {
		t.Error("another company waits for more than one request of a busy one")
	}
}

// contract 14.41
func TestLanesOfOneCompanyAreAShare(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(4, 2)
	first, second, third := taken(q.join("busy", "")), taken(q.join("busy", "")), q.join("busy", "")
	clock.at = clock.at.Add(time.Minute)
	q.serve("busy")
	if first == nil || second == nil || taken(third) != nil {
		t.Fatal("want two of four lanes for one company")
	}
	q.Free(second)
	if taken(third) != second {
		t.Error("a request gets no lane although its company holds one only")
	}
}

// contract 14.41
func TestLanesOfOneCompanyAreFewerBesideAnother(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(8, 8)
	other := taken(q.ask("other"))
	held := []*Lane{taken(q.ask("busy")), taken(q.ask("busy"))}
	if other == nil || held[0] == nil || held[1] == nil {
		t.Fatal("want lanes for two companies, and a quarter of the share for one of them")
	}
	waits := q.ask("busy")
	if taken(waits) != nil {
		t.Error("a company gets more than a quarter of its share for requests that are not slow")
	}
	q.Free(held[0])
	if taken(waits) != held[0] {
		t.Error("a company gets less than a quarter of its share")
	}
	clock.at = clock.at.Add(shortWait) // the requests are slow now
	for range 2 {
		if taken(q.ask("busy")) == nil {
			t.Fatal("a request waits for slow ones of its company, which holds less than half of its share")
		}
	}
	clock.at = clock.at.Add(shortWait)
	if taken(q.ask("busy")) != nil {
		t.Error("a company gets more than half of its share while another one uses lanes")
	}
	clock.at = clock.at.Add(usesUntil)
	q.serve("busy")
	for range 2 { // of the eight lanes, one is the other's, and five are its own
		if taken(q.ask("busy")) == nil {
			t.Error("a company that is alone again does not get its share")
		}
	}
}

// contract 14.41
func TestLaneQueueLooksForSlowRequestsAgain(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(4, 4)
	taken(q.ask("other"))
	if taken(q.ask("busy")) == nil {
		t.Fatal("a free lane is not given")
	}
	const looksBefore = 3 // two when the request comes, and the first one after shortWait
	looks := 0
	q.now = func() time.Time {
		if looks++; looks <= looksBefore {
			return clock.at
		}
		return clock.at.Add(shortWait)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := q.Take(ctx, "busy", ""); err != nil {
		t.Errorf("a request looks for slow ones of its company once only: %v", err)
	}
}

// contract 14.41
func TestDefaultCompanyIsLimitedBesideAnother(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(8, 8)
	for range 20 {
		if taken(q.ask("")) == nil {
			t.Fatal("the default company is limited though no other one uses lanes")
		}
	}
	q.note("other")
	waits := q.ask("")
	if taken(waits) != nil {
		t.Fatal("the default company uses more than its share beside another one")
	}
	for l := range q.holders {
		if q.Free(l); len(q.holders) == 1 {
			break
		}
	}
	if taken(waits) == nil {
		t.Error("the default company waits though it uses less than its share")
	}
	if q.lanes[0].users != nil || !q.isHalfFree() {
		t.Error("the default company uses the lanes of the others")
	}
	clock.at = clock.at.Add(usesUntil)
	for range 20 {
		if taken(q.ask("")) == nil {
			t.Fatal("the default company is limited though no other one has used lanes lately")
		}
	}
}

// contract 14.41
func TestReleasedLaneIsNotHeldUpByTheDefaultCompany(t *testing.T) {
	t.Parallel()
	q, clock := newQueue(1, 8)
	held := taken(q.ask("other"))
	for range 3 { // the third one waits
		q.ask("")
	}
	waits := q.ask("third")
	clock.at = clock.at.Add(shortWait)
	q.Free(held)
	if taken(waits) != held {
		t.Error("a lane is free, and the company that waits for it does not get it")
	}
}

// contract 14.41
func TestBackgroundWorkDoesNotCountAsUseOfLanes(t *testing.T) {
	t.Parallel()
	q, _ := newQueue(8, 2)
	if _, err := q.Take(t.Context(), "other", ""); err != nil {
		t.Fatal(err)
	}
	request := context.WithValue(t.Context(), observe.Key{}, &observe.Request{})
	if _, err := q.Take(request, "busy", ""); err != nil {
		t.Fatal(err)
	}
	if !q.other.IsZero() {
		t.Error("the background work counts as use")
	}
}

func TestLaneOfACancelledRequestGoesToTheNext(t *testing.T) {
	t.Parallel()
	q, _ := newQueue(1, 1)
	l := taken(q.join("a", ""))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Take(cancelled, "b", ""); !fault.Is(err, fault.Unavailable) || len(q.turns) != 0 {
		t.Fatalf("%v, and %d companies still wait", err, len(q.turns))
	}
	next, given := q.join("c", ""), q.join("d", "")
	q.Free(l)
	if taken(next) != l {
		t.Fatal("the lane is lost")
	}
	q.Free(l)
	q.abandon("d", given) // at the moment at which it has been given the lane
	if len(q.held) != 0 || len(q.holders) != 0 || !l.isFree {
		t.Errorf("held: %v, free: %v", q.held, l.isFree)
	}
}
