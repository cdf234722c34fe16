package httpapi

import (
	"context"
	"net/http"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Replicas are replicas of the database, from which requests that ask for it read the records of a
// company. The zero value has none.
type Replicas struct {
	Servers Servers
	// Resources are those of the company, for each of the servers.
	Resources [][]Resource

	routes [][]route // of these, by server
}

// Servers are a primary and its replicas.
type Servers interface {
	// Written returns the position of the primary.
	Written(ctx context.Context) (readmodel.Position, error)
	// Read calls read with the number of a replica that covers the position. It returns false if
	// the primary has to serve the request, because there is no such replica or it failed.
	Read(ctx context.Context, least readmodel.Position, caller int64, read func(ctx context.Context, replica int) error) bool
}

// positionHeader is how recent the records are: after a write, and those that a client asks for.
const positionHeader = "Kontor-Position"

// anyPosition is the value of the header for records that are as recent as any replica in use has them.
const anyPosition = "recent"

// handle calls the handler of the route, for a read with a position one that reads from a replica.
// After a write it sets the header. Without replicas the header is ignored.
func (c *call) handle(header http.Header) (a *response, err error) {
	servers, primary := c.tenant.replicas.Servers, c.tenant.routes[c.route.index].handle
	if servers == nil {
		return primary(c)
	}
	least, err := parsePosition(c.http.Header.Get(positionHeader))
	if err != nil {
		return nil, err
	}
	if c.http.Method != http.MethodGet && c.http.Method != http.MethodHead {
		if a, err = primary(c); err == nil {
			c.showPosition(header)
		}
		return a, err
	}
	if least == nil {
		return primary(c)
	}
	request := c.Context
	isRead := servers.Read(request, *least, int64(c.actor.TokenID), func(ctx context.Context, replica int) error {
		c.Context = ctx
		a, err = c.tenant.replicas.routes[replica][c.route.index].handle(c)
		return err
	})
	c.Context = request
	if isRead {
		return a, err
	}
	return primary(c)
}

// parsePosition returns nil if the request has none.
func parsePosition(text string) (*readmodel.Position, error) {
	switch text {
	case "":
		return nil, nil
	case anyPosition:
		return &readmodel.Position{}, nil
	}
	p, err := readmodel.ParsePosition(text)
	if err != nil {
		return nil, fault.ForField(fault.Malformed, positionHeader, "must be that of an earlier response, unchanged, or %s", anyPosition)
	}
	return &p, nil
}

// showPosition sets the header after a write. The write is stored, so that its response has no header if the primary
// does not respond any more.
func (c *call) showPosition(header http.Header) {
	if p, err := c.tenant.replicas.Servers.Written(c); err == nil {
		header.Set(positionHeader, p.String())
	}
}
