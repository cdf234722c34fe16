package httpapi

import (
	"io"
	"math"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/ports"
)

// limits are those of all requests, whatever their company.
type limits struct {
	rate       *traffic.RateLimiter
	failedAuth *traffic.FailedAuthLimiter
	inFlight   *gate.InFlight
	memory     *semaphore.Weighted // of maxHeld
	documents  *gate.Gate          // and pictures
	bodies     *gate.Gate          // large ones, which wait for locks with the writes
	exporting  sync.Map            // the callers with an export
}

func newLimits(config *Config) limits {
	return limits{
		rate:       traffic.NewRateLimiter(config.RateLimit),
		failedAuth: traffic.NewFailedAuthLimiter(time.Now),
		inFlight:   gate.NewInFlight(config.MaxRequests, config.CallerShare),
		memory:     semaphore.NewWeighted(maxHeld),
		documents:  gate.New("requests for documents and pictures", heavyLimits, config.Heavy),
		bodies:     gate.New("requests with large bodies", heavyLimits, config.Heavy),
	}
}

// heavyBytes is how many bytes of text are written as documents at the same time.
const heavyBytes = 2 << 20

// heavyLimits are those of what requests cause in memory and on the processor beside the database: by documents and pictures, and by
// parsing large bodies. A request waits before its document is read, so that little of it is in memory.
var heavyLimits = gate.Limits{Running: 16, PerCaller: 2, Wait: math.MaxInt64, Bytes: heavyBytes}

// admission is what a call has of the limits.
type admission struct {
	limits      *limits
	caller      ports.Caller // the token if it is known, or else the address
	inside      bool         // it counts as in flight
	leaveBodies func()       // leaves the gate of large bodies; nil if the call is not there
	size        int64        // of the body and the response to a read, in bytes
	held        int64        // of them: see hold
}

func (c *admission) enter() error {
	err := c.limits.inFlight.Enter(c.caller)
	c.inside = err == nil
	return err
}

func (c *admission) identify(key ports.Caller) error {
	if err := c.limits.inFlight.Move(c.caller, key); err != nil {
		return err
	}
	c.caller = key
	return nil
}

// pause ends that the call is in flight, while its client takes any time.
func (c *admission) pause() {
	if c.leaveBodies != nil {
		c.leaveBodies()
		c.leaveBodies = nil
	}
	if c.inside {
		c.inside = false
		c.limits.inFlight.Leave(c.caller)
	}
}

// leave ends the call.
func (c *admission) leave() {
	c.pause()
	if c.held > 0 {
		c.limits.memory.Release(c.held)
		c.held = 0
	}
}

const (
	// maxHeld is how many bytes of bodies that are received and of responses to reads that are sent
	// the service holds at a time, however slow their clients are.
	maxHeld = 64 << 20
	// uncounted is how many bytes of each call are not counted: nearly all calls hold less, and so
	// are not rejected because of a few large ones.
	uncounted = 32 << 10
)

// hold counts bytes until the call is done.
//
// Chose: a limit on what waits for clients over one on all memory of requests. Because: what is in
// flight is bounded by the in-flight limit, the number of connections and the sizes of pages and
// bodies, and clients may take any time. Costs: one caller may hold all of it.
func (c *admission) hold(bytes int) error {
	c.size += int64(bytes)
	missing := c.size - uncounted - c.held
	switch {
	case missing <= 0:
		return nil
	case !c.limits.memory.TryAcquire(missing):
		return gate.ErrBusy
	}
	c.held += missing
	return nil
}

// heldBody is the body of a call, which holds the bytes that are read.
type heldBody struct {
	io.ReadCloser
	call *admission
}

func (b heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if full := b.call.hold(n); full != nil {
		return n, full
	}
	return n, err
}
