// Package membudget bounds the memory that all requests of a process hold together: bodies
// being received, rows, and responses being sent, however slow the client is.
//
// Chose to count bytes per request over a limit on connections, because a thousand clients
// reading one record each are no burden and twenty slow clients reading the largest page
// are; costs that the reservation travels in the context, from the handler to the place
// where rows arrive.
package membudget

import (
	"context"
	"sync/atomic"

	"github.com/kontor-crm/kontor/domain/fault"
)

const (
	// Max is the limit for all requests together, in bytes.
	Max = 64 << 20
	// Uncounted is the number of bytes of each request that are not counted: nearly all
	// requests hold less, and are not refused because of a few large ones.
	Uncounted = 32 << 10
	// MaxRows is the limit for the rows of one response, in bytes.
	MaxRows = 16 << 20
)

// ErrTooManyRows is the error of a response with more than MaxRows bytes of rows.
var ErrTooManyRows = fault.New(fault.Malformed, "the response would be larger than %d MiB", MaxRows>>20)

var (
	errExhausted = fault.New(fault.Unavailable, "the service is busy with other requests; try again")
	errTooLarge  = fault.New(fault.Malformed, "the request would need more than %d MiB of memory by itself: split it", Max>>20)
)

// Budget is the memory of all requests. The zero value is ready to use.
type Budget struct{ held atomic.Int64 }

// Held is the number of counted bytes.
func (b *Budget) Held() int64 { return b.held.Load() }

// Reservation counts the memory of one request. It is for one goroutine at a time; a nil
// Reservation counts nothing.
type Reservation struct {
	budget  *Budget
	held    int64
	counted int64
	rows    int64
}

// Reservation begins an empty reservation; Set(0) returns it to the budget.
func (b *Budget) Reservation() Reservation { return Reservation{budget: b} }

// Reserve adds bytes. It is a fault.Unavailable if the budget is exhausted, and a
// fault.Malformed if the request alone exceeds it; then nothing is added.
func (r *Reservation) Reserve(bytes int) error {
	if r == nil {
		return nil
	}
	more := max(r.held+int64(bytes)-Uncounted, 0) - r.counted
	if r.counted+more > Max {
		return errTooLarge
	}
	if more > 0 && r.budget.held.Add(more) > Max {
		r.budget.held.Add(-more)
		return errExhausted
	}
	r.held += int64(bytes)
	r.counted += max(more, 0)
	return nil
}

// ReserveRow is Reserve for a row of the response, which is held twice: as received and as
// encoded. Beyond MaxRows it is ErrTooManyRows.
func (r *Reservation) ReserveRow(bytes int) error {
	if r == nil {
		return nil
	}
	if r.rows += int64(bytes); r.rows > MaxRows {
		return ErrTooManyRows
	}
	return r.Reserve(2 * bytes)
}

// Set sets the size of the reservation, even beyond the limit: the bytes are allocated
// already.
func (r *Reservation) Set(bytes int) {
	r.held = int64(bytes)
	counted := max(r.held-Uncounted, 0)
	r.budget.held.Add(counted - r.counted)
	r.counted = counted
}

// Key is the context key of a *Reservation.
type Key struct{}

// From is the reservation of the context's request; nil if there is none.
func From(ctx context.Context) *Reservation {
	r, _ := ctx.Value(Key{}).(*Reservation)
	return r
}
