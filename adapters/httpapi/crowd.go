package httpapi

import (
	"io"
	"sync/atomic"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/membudget"
)

// crowd is how many requests are worked on at once. One that waits for its
// caller, be it for the body or until the answer is taken, is not.
//
// Chose to refuse at once what is too much over a queue with a time limit, because
// those inside wait for connections to the database as it is, and no longer than
// so many others take: the limit of the number is one of the time. Costs that a
// short burst beyond the limit is refused that could have waited.
type crowd struct {
	most int64 // 0: as many as come
	now  atomic.Int64
}

var crowded = fault.New(fault.Unavailable, "the service is busy with other requests; try again")

// enter is a fault.Unavailable if there are too many inside.
func (c *crowd) enter() error {
	if c.now.Add(1) > c.most && c.most > 0 {
		c.now.Add(-1)
		return crowded
	}
	return nil
}

func (c *crowd) leave() { c.now.Add(-1) }

// enter counts the call as one that is worked on.
func (c *call) enter() error {
	err := c.api.crowd.enter()
	c.inside = err == nil
	return err
}

// leave undoes enter.
func (c *call) leave() {
	if c.inside {
		c.inside = false
		c.api.crowd.leave()
	}
}

// done gives back all that the call holds.
func (c *call) done() {
	c.leave()
	c.share.Keep(0)
}

// counted takes room for what is read, and ends if there is none.
type counted struct {
	from  io.Reader
	share *membudget.Share
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if full := c.share.Take(n); full != nil {
		return n, full
	}
	return n, err
}
