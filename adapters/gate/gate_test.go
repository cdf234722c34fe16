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

func newEntrance(t *testing.T, limits Limits) *entrance {
	t.Helper()
	return &entrance{t: t, Gate: New("operations", limits), leave: map[token.ID]func(){}, errs: map[token.ID]error{}}
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
		e := newEntrance(t, Limits{Running: 2, PerCaller: 1, Waiting: 10, WaitingPerCaller: 10, Wait: time.Minute})
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
		e := newEntrance(t, Limits{Running: 3, PerCaller: 1, Waiting: 10, WaitingPerCaller: 10, Wait: time.Minute})
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
	limits := Limits{Running: 1, PerCaller: 1, Waiting: 3, WaitingPerCaller: 1, Wait: 10 * time.Second}
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
		"while as many of a caller wait": {waiting: []token.ID{9, 9}, kind: fault.Throttled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEntrance(t, limits)
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
	e := newEntrance(t, limits)
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
func TestGateTellsACallerThatItsOwnOperationsAreInTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, Limits{Running: 2, PerCaller: 1, Waiting: 10, WaitingPerCaller: 10, Wait: time.Minute})
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
		limits := Limits{Running: 2, PerCaller: 2, Waiting: 10, WaitingPerCaller: 10, Wait: time.Minute}
		outer := newEntrance(t, limits)
		one, other := newEntrance(t, limits), newEntrance(t, limits)
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
