// Package position is the contract between the layers about how recent the records have to be
// that a request reads, when some of its reads go to replicas: one Request per request travels
// in the context from the HTTP handler to the database, as in package observe.
//
// Chose the position in the write-ahead log over times and over a session that is bound to one
// server, because a replica says exactly whether it has reached a position, and any instance can
// ask it. Costs that the position is known only after the commit.
package position

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// Position is how far a database had come: everything that was committed before is in it. The
// zero Position is before everything.
type Position struct {
	System   int64  // the identifier of the cluster
	Timeline uint32 // which a promotion raises
	WAL      uint64 // in the write-ahead log
}

// IsZero reports whether the position is before everything.
func (p Position) IsZero() bool { return p == Position{} }

// size is that of a position in bytes.
const size = 8 + 4 + 8

// String is the text of the position, which is opaque to clients.
func (p Position) String() string {
	var b [size]byte
	binary.BigEndian.PutUint64(b[:], uint64(p.System))
	binary.BigEndian.PutUint32(b[8:], p.Timeline)
	binary.BigEndian.PutUint64(b[12:], p.WAL)
	return encoding.EncodeToString(b[:])
}

var (
	encoding = base64.RawURLEncoding.Strict()
	errText  = errors.New("it is not a position of this service")
)

// Parse is the position of a text by String.
func Parse(text string) (Position, error) {
	b, err := encoding.DecodeString(text)
	if err != nil || len(b) != size {
		return Position{}, errText
	}
	p := Position{
		System: int64(binary.BigEndian.Uint64(b)), Timeline: binary.BigEndian.Uint32(b[8:]), WAL: binary.BigEndian.Uint64(b[12:]),
	}
	if p.System == 0 || p.Timeline == 0 {
		return Position{}, errText
	}
	return p, nil
}

// Covers reports whether a server that has reached p has everything that a server had that had
// reached q. A position of an earlier timeline is compared by its place: what the promoted
// server did not have was lost, and no server has it. One of a later timeline, or of another
// cluster, is never covered.
func (p Position) Covers(q Position) bool {
	return q.IsZero() || p.System == q.System && p.Timeline >= q.Timeline && p.WAL >= q.WAL
}

// Request is what a request has to see, and what it has written. It is for one goroutine at a
// time.
type Request struct {
	Least   Position // that its reads have to cover, by its client
	Reached Position // of the primary, after its last transaction
	Server  Server   // of its reads: chosen by the first of them; nil: it has read nothing
}

// Server is where a request reads.
type Server interface {
	// Settle is called before the response is sent: requests that come after it see nothing
	// older than this one has.
	Settle(ctx context.Context) error
	// Retreat makes the primary the server of the request.
	Retreat()
}

// ErrServerFailed is an error of a server that need not be one of the others. The request can be
// repeated on the primary.
var ErrServerFailed = errors.New("the replica failed")

// Settle is that of the server, if the request has read.
func (r *Request) Settle(ctx context.Context) error {
	if r == nil || r.Server == nil {
		return nil
	}
	return r.Server.Settle(ctx)
}

// Retreat reports whether the request has to be repeated because its server failed, and makes
// the primary its server.
func (r *Request) Retreat(err error) bool {
	if r == nil || r.Server == nil || !errors.Is(err, ErrServerFailed) {
		return false
	}
	r.Server.Retreat()
	return true
}

// Key is the context key of a *Request.
type Key struct{}

// From is the request of the context; nil if there is none, or if all reads are of the primary.
func From(ctx context.Context) *Request {
	r, _ := ctx.Value(Key{}).(*Request)
	return r
}
