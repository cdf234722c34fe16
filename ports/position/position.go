// Package position tells the layers how recent the reads of a request have to be if they go to
// replicas: a Request travels in the context from the HTTP handler to the database, as in
// package observe.
//
// Chose the position in the write-ahead log over times and over sticky sessions, because a
// replica knows exactly whether it has reached a position, and any instance can ask it. Costs
// that the position is known only after the commit.
package position

import (
	"context"
	"errors"
)

// Position is a position in the write-ahead log of a database: a server that has reached it has
// everything that was committed before. The zero value is before everything.
type Position struct {
	System   int64  // the identifier of the cluster
	Timeline uint32 // which a promotion raises
	WAL      uint64 // in the write-ahead log
}

// IsZero reports whether the position is before everything.
func (p Position) IsZero() bool { return p == Position{} }

// Covers reports whether a server at p has everything that a server at q had. If q is of an
// earlier timeline, the places in the log are compared: what the promoted server did not have is
// lost, so no server has it. A q of a later timeline or of another cluster is never covered.
func (p Position) Covers(q Position) bool {
	return q.IsZero() || p.System == q.System && p.Timeline >= q.Timeline && p.WAL >= q.WAL
}

// Request has the position that a request has to see and that of its writes. It is not safe for
// concurrent use.
type Request struct {
	Least   Position // that its reads have to cover, by its client
	Reached Position // of the primary, after its last transaction
	Server  Server   // of its reads: chosen by the first of them; nil: it has read nothing
}

// Server is the server that a request reads from.
type Server interface {
	// Settle is called before the response is sent. It ensures that later requests see nothing
	// older than this one has seen.
	Settle(ctx context.Context) error
	// Retreat makes the request read from the primary.
	Retreat()
}

// ErrServerFailed is the error of a read whose replica failed. The request can be repeated on
// the primary.
var ErrServerFailed = errors.New("the replica failed")

// Settle calls Settle of the server, if the request has read from one.
func (r *Request) Settle(ctx context.Context) error {
	if r == nil || r.Server == nil {
		return nil
	}
	return r.Server.Settle(ctx)
}

// Retreat reports whether the request has to be repeated because its replica failed. The
// repetition reads from the primary.
func (r *Request) Retreat(err error) bool {
	if r == nil || r.Server == nil || !errors.Is(err, ErrServerFailed) {
		return false
	}
	r.Server.Retreat()
	return true
}

// Without returns a context for statements that are no part of the request.
func Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, Key{}, (*Request)(nil))
}

// Key is the context key of a *Request.
type Key struct{}

// From returns the request in the context; nil if there is none, or if all reads go to the
// primary.
func From(ctx context.Context) *Request {
	r, _ := ctx.Value(Key{}).(*Request)
	return r
}
