package gate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/ports"
)

// entrance is a gate at which a test lets operations of callers wait, and the order in
// which they entered.
type entrance struct {
	t *testing.T
	*Gate
	entered []token.ID
	leave   map[token.ID]func()
	errs    map[token.ID]error
}

func newEntrance(t *testing.T, limits Limits, heavy *InFlight) *entrance {
	t.Helper()
	return &entrance{t: t, Gate: New("operations", limits, heavy), leave: map[token.ID]func(){}, errs: map[token.ID]error{}}
}

// send sends operations of the callers, each when the one before waits or has entered.
func (e *entrance) send(ctx context.Context, callers ...token.ID) {
	for _, id := range callers {
		go func() {
			leave, err := e.Enter(ports.WithCaller(ctx, ports.Caller{Token: id}))
			if err != nil {
				e.errs[id] = err
				return
			}
			e.entered = append(e.entered, id)
			e.leave[id] = leave
		}()
		synctest.Wait()
	}
}

// wants compares who has entered, in this order; waiting is how many others wait.
func (e *entrance) wants(waiting int64, entered ...token.ID) {
	e.t.Helper()
	same := len(entered) == len(e.entered)
	for i := range entered {
		same = same && e.entered[i] == entered[i]
	}
	if got := e.State(); !same || got.Waiting != waiting {
		e.t.Errorf("callers %v entered and %d operations wait, want %v and %d", e.entered, got.Waiting, entered, waiting)
	}
}

// leaves ends the operation of the caller that entered last.
func (e *entrance) leaves(id token.ID) {
	e.leave[id]()
	synctest.Wait()
}

// contract 3.35
func TestGateAdmitsAsManyOperationsAsItHasSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, Limits{Running: 2, PerCaller: 1, Wait: time.Minute}, nil)
		e.send(t.Context(), 1, 2, 3, 4)
		e.wants(2, 1, 2)
		e.leaves(2)
		e.wants(1, 1, 2, 3)
		e.leaves(1)
		e.wants(0, 1, 2, 3, 4)
		e.leaves(3)
		e.leaves(4)
		want := State{Max: 2, Entered: 4}
		if got := e.State(); got != want || len(e.callers) != 0 {
			t.Errorf("at the end: %+v, want %+v; %d callers are remembered", got, want, len(e.callers))
		}
	})
}

// contract 3.35
func TestGateLetsNoCallerTakeTheTurnsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, Limits{Running: 3, PerCaller: 1, Wait: time.Minute}, nil)
		e.send(t.Context(), 1, 1, 1, 1) // one runs, and no other caller waits
		e.wants(3, 1)
		e.send(t.Context(), 2, 3, 4)
		e.wants(4, 1, 2, 3)
		e.leaves(2) // the three of caller 1 came before
		e.wants(3, 1, 2, 3, 4)
		e.leaves(1)
		e.wants(2, 1, 2, 3, 4, 1)
		e.leaves(3)
		e.wants(2, 1, 2, 3, 4, 1)
		for range 3 {
			e.leaves(1)
		}
		e.leaves(4)
		if len(e.callers) != 0 {
			t.Errorf("%d callers are remembered", len(e.callers))
		}
	})
}

// contract 3.35, 3.22
func TestGateRejectsOperations(t *testing.T) {
	limits := Limits{Running: 1, PerCaller: 1, Wait: 10 * time.Second}
	canceled, cancel := context.WithCancel(t.Context())
	for name, c := range map[string]struct {
		waiting []token.ID    // that wait behind caller 1
		after   time.Duration // until caller 9 is rejected
		timeout time.Duration
		kind    fault.Kind
	}{
		"that wait too long":             {after: limits.Wait, kind: fault.Unavailable},
		"whose requests have to end":     {after: time.Second, timeout: time.Second, kind: fault.Unavailable},
		"while as many wait":             {waiting: []token.ID{2, 3, 4}, kind: fault.Unavailable},
		"while as many of a caller wait": {waiting: []token.ID{9}, kind: fault.Throttled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEntrance(t, limits, NewInFlight(4, 25)) // one of a caller
				e.send(t.Context(), 1)
				e.send(t.Context(), c.waiting...)
				ctx, start := t.Context(), time.Now()
				if c.timeout > 0 {
					timed, cancel := context.WithTimeout(ctx, c.timeout)
					defer cancel()
					ctx = timed
				}
				_, err := e.Enter(ports.WithCaller(ctx, ports.Caller{Token: 9}))
				if !fault.Is(err, c.kind) || time.Since(start) != c.after || e.State().Rejected != 1 {
					t.Errorf("after %v: %v, %+v; want it after %v", time.Since(start), err, e.State(), c.after)
				}
				for range len(c.waiting) + 1 {
					e.leaves(e.entered[len(e.entered)-1])
				}
				if len(e.callers) != 0 || e.State().Running != 0 {
					t.Errorf("at the end: %+v; %d callers are remembered", e.State(), len(e.callers))
				}
			})
		})
	}
	cancel()
	e := newEntrance(t, limits, nil)
	leave, err := e.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	if _, err := e.Enter(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("a request whose caller has gone: %v", err)
	}
}

// contract 3.36
func TestGatesOfHeavyWorkHaveALimitInCommon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits, heavy := Limits{Running: 1, PerCaller: 1, Wait: time.Minute}, NewInFlight(4, 50)
		one, other := newEntrance(t, limits, heavy), newEntrance(t, limits, heavy)
		rejected := func(kind fault.Kind, id token.ID) {
			t.Helper()
			if _, err := other.Enter(ports.WithCaller(t.Context(), ports.Caller{Token: id})); !fault.Is(err, kind) {
				t.Errorf("caller %d: %v", id, err)
			}
		}
		one.send(t.Context(), 1, 2)
		other.send(t.Context(), 2)
		rejected(fault.Throttled, 2) // it waits at one and runs at the other
		other.send(t.Context(), 3)
		rejected(fault.Unavailable, 4)
		one.leaves(1)
		other.send(t.Context(), 4)
		other.wants(2, 2)
		for _, id := range []token.ID{2, 3, 4} {
			other.leaves(id)
		}
		one.leaves(2)
		if heavy.all != 0 {
			t.Errorf("at the end %d count", heavy.all)
		}
	})
}

// contract 3.36
func TestGateTellsACallerThatItsOwnOperationsAreInTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, Limits{Running: 2, PerCaller: 1, Wait: time.Minute}, nil)
		e.send(t.Context(), 1)
		if _, err := e.Enter(ports.WithCaller(t.Context(), ports.Caller{Token: 1})); !fault.Is(err, fault.Throttled) {
			t.Errorf("behind an operation of the same caller: %v", err)
		}
		e.leaves(1)
	})
}

func TestGateMayBeMissing(t *testing.T) {
	var g *Gate
	leave, err := g.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	leave()
	release, err := g.Weigh(t.Context(), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// contract 3.73
func TestGateWithinAnotherOneAlsoWaitsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := Limits{Running: 2, PerCaller: 2, Wait: time.Minute}
		outer := newEntrance(t, limits, nil)
		one, other := newEntrance(t, limits, nil), newEntrance(t, limits, nil)
		one.Within(outer.Gate)
		other.Within(outer.Gate)
		one.send(t.Context(), 1, 2)
		other.send(t.Context(), 3)
		if len(other.entered) > 0 {
			t.Error("an operation has entered although the outer gate is full")
		}
		one.leaves(1)
		if len(other.entered) != 1 {
			t.Error("an operation has not entered although there is room at both gates")
		}
		if _, err := other.Enter(ports.WithCaller(t.Context(), ports.Caller{Token: 4})); !fault.Is(err, fault.Unavailable) {
			t.Errorf("the outer gate stays full: %v", err)
		}
		one.leaves(2)
		other.leaves(3)
		if running := other.State().Running + outer.State().Running; running != 0 {
			t.Errorf("at the end %d are running", running)
		}
	})
}
