package httpapi

import (
	"net/http"

	"github.com/kontor-crm/kontor/domain/fault"
)

// positionHeader is how recent the records are: after a write, and those that a client asks for.
const positionHeader = "Kontor-Position"

// readPosition reads from which position on the request has to see the records. Without replicas
// it sees all.
func (c *call) readPosition() (err error) {
	text := c.http.Header.Get(positionHeader)
	if c.position == nil || text == "" {
		return nil
	}
	if c.position.Least, err = c.company.positions.Decode(text); err != nil {
		return fault.ForField(fault.Malformed, positionHeader, "must be that of an earlier response, unchanged")
	}
	return nil
}

// handleOrRepeat handles the call. A read whose replica failed is repeated on the primary.
func (c *call) handleOrRepeat() (*response, error) {
	a, err := c.handle()
	if c.position.Retreat(err) {
		c.memory.Set(0)
		return c.handle()
	}
	return a, err
}

// settle has later requests of the caller see what this one has seen, before the response is sent.
func (c *call) settle(header http.Header, a *response, err error) (*response, error) {
	if c.position == nil {
		return a, err
	}
	if failed := c.position.Settle(c); failed != nil {
		return nil, failed
	}
	if written := c.position.Reached; !written.IsZero() {
		header.Set(positionHeader, c.company.positions.Encode(written))
	}
	return a, err
}
