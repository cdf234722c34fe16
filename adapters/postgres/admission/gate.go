// Package admission limits the operations that run on the database at the same time, in front of
// its connections.
//
// Chose a limit in front of the pool over a second pool, because connections that slow queries do
// not need then serve other requests; costs that a query must be known to be slow before it runs.
package admission

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/caller"
)

// Gate limits the operations, such as slow queries or units of work, that run at the same time,
// in total and for each caller, so that connections remain for others. An operation waits at the
// gate without a connection. Companies whose operations wait take turns. A process has one gate
// for slow queries and one for writes. A nil Gate limits nothing.
type Gate struct {
	limits     Limits
	rejections rejections
	slots      chan struct{}
	companies  caller.Companies

	mu      sync.Mutex
	callers map[caller.Key]*callerSlots
	groups  map[caller.Group]*turns

	running, waiting, rejected, entered, waited atomic.Int64
}

// Limits are the limits of a Gate.
type Limits struct {
	Of                        string        // what is limited, as callers call it, such as "slow queries"
	Running, PerCaller        int           // that run at the same time, and of them those of one caller
	Waiting, WaitingPerCaller int           // that wait; more are rejected at once
	Wait                      time.Duration // the longest
}

type callerSlots struct {
	slots chan struct{}
	group *turns
	users int // of this value: it is dropped with the last one
}

// turns are those of one company. Only the operation that has the turn waits for a slot of all,
// behind at most one of every other company.
type turns struct {
	turn  chan struct{}
	users int
}

// New returns a gate.
func New(limits Limits) *Gate {
	return &Gate{
		limits: limits, rejections: rejectionsOf(limits.Of), slots: make(chan struct{}, limits.Running),
		callers: map[caller.Key]*callerSlots{}, groups: map[caller.Group]*turns{},
	}
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

type rejections struct{ busy, share, company *fault.Error }

func rejectionsOf(what string) rejections {
	return rejections{
		busy:    fault.New(fault.Unavailable, "too many %s are running; try again", what),
		share:   fault.New(fault.Throttled, "too many %s of this caller are running; wait for their responses", what),
		company: fault.New(fault.Throttled, "too many %s of this company are running; wait for their responses", what),
	}
}

var errLate = errors.New("waited too long for a slot")

// Enter waits until the operation may run; the caller must call leave after it. The error is a
// fault.Unavailable if that takes too long or too many operations wait, and a fault.Throttled if
// this is because of the caller's own operations, or too many of its company wait.
//
// An operation first waits for a slot of its caller, so that operations of a caller without a
// free one do not block those of others.
func (g *Gate) Enter(ctx context.Context) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	key := caller.From(ctx)
	own, err := g.join(key)
	if err != nil {
		return nil, g.reject(err)
	}
	start := time.Now()
	err = g.wait(ctx, own)
	g.waiting.Add(-1)
	if err != nil {
		g.part(key, own)
		return nil, g.reject(err)
	}
	g.running.Add(1)
	g.entered.Add(1)
	g.waited.Add(int64(time.Since(start)))
	return func() {
		<-g.slots
		<-own.slots
		g.part(key, own)
		g.running.Add(-1)
	}, nil
}

// wait waits for a slot of the caller, for the turn of its company, and then for a slot of all.
func (g *Gate) wait(ctx context.Context, own *callerSlots) error {
	timeout := time.NewTimer(g.limits.Wait)
	defer timeout.Stop()
	if err := acquire(ctx, own.slots, timeout.C); errors.Is(err, errLate) {
		return g.rejections.share
	} else if err != nil {
		return err
	}
	err := acquire(ctx, own.group.turn, timeout.C)
	if err == nil {
		err = acquire(ctx, g.slots, timeout.C)
		<-own.group.turn
	}
	if err != nil {
		<-own.slots
	}
	if errors.Is(err, errLate) {
		return g.rejections.busy
	}
	return err
}

// acquire takes a slot. Goroutines that wait for one get it in the order in which they
// came.
func acquire(ctx context.Context, slots chan<- struct{}, timeout <-chan time.Time) error {
	select {
	case slots <- struct{}{}:
		return nil
	case <-timeout:
		return errLate
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reject counts an operation that did not enter. A caller that has gone gets the error of
// its context.
func (g *Gate) reject(err error) error {
	g.rejected.Add(1)
	if errors.Is(err, context.DeadlineExceeded) {
		return g.rejections.busy.WithCause(err)
	}
	return err
}

// join counts an operation that waits and returns the slots of its caller; part returns
// them. It is an error if too many wait.
func (g *Gate) join(key caller.Key) (*callerSlots, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	own, ok := g.callers[key]
	if !ok {
		own = &callerSlots{slots: make(chan struct{}, g.limits.PerCaller), group: g.groupOf(key)}
	}
	waiting := g.waiting.Load()
	free := int64(g.limits.Running+g.limits.Waiting) - g.running.Load() - waiting - 1
	switch {
	case waiting >= int64(g.limits.Waiting):
		return nil, g.rejections.busy
	case own.users >= g.limits.PerCaller+g.limits.WaitingPerCaller:
		return nil, g.rejections.share
	case int64(own.group.users) >= max(g.companies.Limit(key, free), 1):
		return nil, g.rejections.company
	}
	g.callers[key] = own
	g.groups[key.Group()] = own.group
	own.users++
	own.group.users++
	g.waiting.Add(1)
	return own, nil
}

func (g *Gate) groupOf(key caller.Key) *turns {
	if known, ok := g.groups[key.Group()]; ok {
		return known
	}
	return &turns{turn: make(chan struct{}, 1)}
}

func (g *Gate) part(key caller.Key, own *callerSlots) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(g.callers, key)
	}
	if own.group.users--; own.group.users == 0 {
		delete(g.groups, key.Group())
	}
}
