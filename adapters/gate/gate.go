// Package gate limits operations that are heavy for the service or its database, in total and for each caller.
package gate

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
)

// Gate limits the operations of one kind that run at the same time, in total and for each caller, and the bytes that they use, so
// that connections, memory and the processor remain for others. An operation waits at the gate before it takes a connection or
// memory. A process has one gate each for slow queries, exports, large bodies, and documents and pictures; each pool has one for
// transactions that write, and each company one within it. A nil Gate limits nothing.
//
// What runs or waits at all gates of heavy work together is limited too, in total and for each caller, so that there is room in flight
// for requests that need no gate.
//
// Chose: a limit in front of the pool over a second pool. Because: connections that these operations
// do not need then serve other requests. Costs: it must be known of what kind an operation is before it runs.
//
// Chose: slots for each kind over some for all. Because: exports wait for their clients and writes for locks, and what
// does not wait would wait with them. Costs: the slots of several kinds add up.
type Gate struct {
	limits Limits
	heavy  *InFlight // with those of other gates; nil: not limited
	outer  *Gate     // nil: none
	slots  *semaphore.Weighted
	bytes  *semaphore.Weighted // nil: not limited
	busy   error               // the rejection because of the operations of all
	share  error               // the rejection because of the caller's own

	mu      sync.Mutex
	callers map[ports.Caller]*own

	running, waiting, rejected, entered, waited atomic.Int64
}

// Limits are those of a Gate.
type Limits struct {
	Running, PerCaller int           // that run at the same time, and of them those of one caller
	Wait               time.Duration // the longest
	Bytes              int64         // that those that run use at the same time, as they tell Weigh; 0: not limited
}

// lightBytes is what an operation may use without waiting for others.
const lightBytes = 64 << 10

// own has the operations of one caller. It is dropped with the last one.
type own struct {
	slots *semaphore.Weighted
	users int // that wait or run
}

// New returns a gate for the operations that the plural names in its errors. Those that run or wait also count in heavy, which several
// gates have in common; nil is no limit.
func New(operations string, limits Limits, heavy *InFlight) *Gate {
	g := &Gate{
		limits: limits, heavy: heavy, slots: semaphore.NewWeighted(int64(limits.Running)), callers: map[ports.Caller]*own{},
		busy:  fault.New(fault.Unavailable, "too many %s are running; try again", operations),
		share: fault.New(fault.Throttled, "too many %s of this caller are running; wait for their responses", operations),
	}
	if limits.Bytes > 0 {
		g.bytes = semaphore.NewWeighted(limits.Bytes)
	}
	return g
}

// Within has what enters the gate also enter the outer one, which several gates have in common.
func (g *Gate) Within(outer *Gate) *Gate {
	g.outer = outer
	return g
}

// State is a snapshot of a gate: its present numbers, and its totals since the start.
type State struct {
	Running, Waiting, Max int64         // operations, and how many may run
	Entered               int64         // in all
	Rejected              int64         // in all
	Waited                time.Duration // in all, by those that entered
}

// State returns the present state.
func (g *Gate) State() State {
	return State{
		Running: g.running.Load(), Waiting: g.waiting.Load(), Max: int64(g.limits.Running),
		Entered: g.entered.Load(), Rejected: g.rejected.Load(), Waited: time.Duration(g.waited.Load()),
	}
}

// Enter waits until the operation may run; the caller must call leave after it. The error is a
// fault.Unavailable if that takes too long or too many operations wait, and a fault.Throttled if
// this is because of the caller's own operations.
//
// An operation first waits for a slot of its caller, so that operations of a caller without a
// free one do not block those of others.
func (g *Gate) Enter(ctx context.Context) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	leaveOwn, err := g.enter(ctx)
	if err != nil || g.outer == nil {
		return leaveOwn, err
	}
	leaveOuter, err := g.outer.enter(ctx)
	if err != nil {
		leaveOwn()
		return nil, err
	}
	return func() {
		leaveOuter()
		leaveOwn()
	}, nil
}

// Weigh waits until an operation that has entered may use so many bytes; the caller must call release when it does not use them any
// longer. An operation for more bytes than there are runs alone, and one for few of them does not wait. The error is that of ctx, if it
// ends first. An operation calls Weigh once: one that holds bytes and waits for more could wait forever.
func (g *Gate) Weigh(ctx context.Context, bytes int) (release func(), err error) {
	if g == nil || g.bytes == nil || bytes <= lightBytes {
		return func() {}, ctx.Err()
	}
	weight := min(int64(bytes), g.limits.Bytes)
	if err := g.bytes.Acquire(ctx, weight); err != nil {
		return nil, err
	}
	return func() { g.bytes.Release(weight) }, nil
}

func (g *Gate) enter(ctx context.Context) (leave func(), err error) {
	key := ports.CallerFrom(ctx)
	if err := g.heavy.Enter(key); err != nil {
		g.rejected.Add(1)
		return nil, err
	}
	own, start := g.join(key), time.Now()
	g.waiting.Add(1)
	err = g.wait(ctx, own)
	g.waiting.Add(-1)
	if err != nil {
		g.leave(key, own)
		g.rejected.Add(1)
		return nil, err
	}
	g.running.Add(1)
	g.entered.Add(1)
	g.waited.Add(int64(time.Since(start)))
	return func() {
		g.running.Add(-1)
		g.slots.Release(1)
		own.slots.Release(1)
		g.leave(key, own)
	}, nil
}

// wait waits for a slot of the caller, and then for one of all.
func (g *Gate) wait(ctx context.Context, own *own) error {
	inTime, cancel := context.WithTimeout(ctx, g.limits.Wait)
	defer cancel()
	late := g.share
	err := own.slots.Acquire(inTime, 1)
	if err == nil {
		late = g.busy
		if err = g.slots.Acquire(inTime, 1); err != nil {
			own.slots.Release(1)
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	}
	return late
}

func (g *Gate) join(key ports.Caller) *own {
	g.mu.Lock()
	defer g.mu.Unlock()
	joined := g.callers[key]
	if joined == nil {
		joined = &own{slots: semaphore.NewWeighted(int64(g.limits.PerCaller))}
		g.callers[key] = joined
	}
	joined.users++
	return joined
}

func (g *Gate) leave(key ports.Caller, own *own) {
	g.heavy.Leave(key)
	g.mu.Lock()
	defer g.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(g.callers, key)
	}
}
