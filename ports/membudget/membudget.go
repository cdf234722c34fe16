// Package membudget bounds the memory that the requests of a process hold together:
// bodies on their way in, rows, and answers on their way out, however slowly
// others send and read them.
//
// Chose a count of bytes that each request takes its share of over a limit on
// connections, because a thousand callers who ask for a record each are no
// burden, and twenty who take their time over the largest page can be; costs that
// the share is carried in the context, from the handler to where rows come in.
package membudget

import (
	"context"
	"sync/atomic"

	"github.com/kontor-crm/kontor/domain/fault"
)

const (
	// Most is how many bytes all requests may hold.
	Most = 64 << 20
	// Free is how many of its bytes a request does not have counted: nearly all
	// hold less, and are not refused because of some that hold a lot.
	Free = 32 << 10
	// MostRows is how many bytes the rows of one answer may have.
	MostRows = 16 << 20
)

var (
	full    = fault.New(fault.Unavailable, "too much is under way at once; try again")
	tooBig  = fault.New(fault.Malformed, "the request would take more than %d MiB by itself: send it in parts", Most>>20)
	tooMuch = fault.New(fault.Malformed, "the answer would have more than %d MiB: ask for fewer records (per_page) or attributes (fields)", MostRows>>20)
)

// Room is what there is for all requests. The zero value is empty.
type Room struct{ held atomic.Int64 }

// Held is how many bytes are counted now.
func (r *Room) Held() int64 { return r.held.Load() }

// Share is what one request holds. It is for one goroutine at a time; nil is that
// of something that nobody counts.
type Share struct {
	room    *Room
	held    int64
	counted int64
	rows    int64
}

// Share begins a share, which has to be given back.
func (r *Room) Share() Share { return Share{room: r} }

// Take is a fault.Unavailable if there is no room for so many more bytes, and a
// fault.Malformed if there never would be; they are not held then.
func (s *Share) Take(bytes int) error {
	if s == nil {
		return nil
	}
	more := max(s.held+int64(bytes)-Free, 0) - s.counted
	if s.counted+more > Most {
		return tooBig
	}
	if more > 0 && s.room.held.Add(more) > Most {
		s.room.held.Add(-more)
		return full
	}
	s.held += int64(bytes)
	s.counted += max(more, 0)
	return nil
}

// TakeRow is Take for a row of the answer, which is held twice: as it came in and
// as it is written. More rows than an answer may have are a fault.Malformed.
func (s *Share) TakeRow(bytes int) error {
	if s == nil {
		return nil
	}
	if s.rows += int64(bytes); s.rows > MostRows {
		return tooMuch
	}
	return s.Take(2 * bytes)
}

// Keep says that it is just so many bytes from now on, whether there is room for
// them or not: what is made is made.
func (s *Share) Keep(bytes int) {
	s.held = int64(bytes)
	counted := max(s.held-Free, 0)
	s.room.held.Add(counted - s.counted)
	s.counted = counted
}

// Key is under what a context holds its *Share.
type Key struct{}

// From is the share of the request that the context belongs to; nil if there is
// none.
func From(ctx context.Context) *Share {
	s, _ := ctx.Value(Key{}).(*Share)
	return s
}
