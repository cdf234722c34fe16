package httpapi

import (
	"io"

	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
)

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
func (c *call) hold(bytes int) error {
	c.size += int64(bytes)
	missing := c.size - uncounted - c.held
	switch {
	case missing <= 0:
		return nil
	case !c.api.memory.TryAcquire(missing):
		return traffic.ErrBusy
	}
	c.held += missing
	return nil
}

func (c *call) release() {
	c.api.memory.Release(c.held)
	c.held = 0
}

// heldBody is the body of a call, which holds the bytes that are read.
type heldBody struct {
	io.ReadCloser
	call *call
}

func (b heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if full := b.call.hold(n); full != nil {
		return n, full
	}
	return n, err
}
