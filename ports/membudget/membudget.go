// Package membudget bounds the memory that all requests of a process hold together: bodies being
// received, rows, and responses being sent, also to slow clients.
//
// Chose to count the bytes of requests over a limit on connections, because a thousand clients
// that read one record each need little memory, and twenty slow clients that read the largest
// page need much. Costs that the reservation travels in the context, from the handler to the code
// that receives rows.
//
// Chose to let a caller's only counted request exceed the caller share, because the share would
// otherwise limit the size of a single request. Costs that a caller may hold more than its share
// with one request. The same applies to a company.
package membudget

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/caller"
)

const (
	// Max is the limit for all requests together, in bytes.
	Max = 64 << 20
	// Uncounted is the number of bytes of each request that are not counted: nearly all requests
	// hold less, and so are not rejected because of a few large ones.
	Uncounted = 32 << 10
	// MaxRows is the limit for the rows of one response, in bytes.
	MaxRows = 16 << 20
)

// ErrTooManyRows is the error for a response with more than MaxRows bytes of rows.
var ErrTooManyRows = fault.New(fault.Malformed, "the response would be larger than %d MiB", MaxRows>>20)

var (
	errExhausted = fault.New(fault.Unavailable, "the service is busy with other requests; try again")
	errShare     = fault.New(fault.Throttled, "the other requests of this caller hold its share of the memory; wait for their responses")
	errCompany   = fault.New(fault.Throttled, "the other requests of this company hold its share of the memory; wait for their responses")
	errTooLarge  = fault.New(fault.Malformed, "the request would need more than %d MiB of memory by itself: split it", Max>>20)
)

// Budget counts the memory of all requests, also by caller and by company. The zero value is
// ready to use.
type Budget struct {
	Share caller.Share // of Max

	held      atomic.Int64
	companies caller.Companies

	mu       sync.Mutex
	accounts map[caller.Key]*account // of callers with counted requests
	groups   map[caller.Group]*account
}

type account struct {
	held     atomic.Int64
	requests int      // that are counted
	group    *account // of the caller
}

// Held returns the number of counted bytes.
func (b *Budget) Held() int64 { return b.held.Load() }

func (b *Budget) open(of caller.Key) *account {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.accounts == nil {
		b.accounts, b.groups = map[caller.Key]*account{}, map[caller.Group]*account{}
	}
	a, group := openIn(b.accounts, of), openIn(b.groups, of.Group())
	if a.group == nil { // else other requests of the caller read it, without the mutex
		a.group = group
	}
	return a
}

func openIn[K comparable](all map[K]*account, key K) *account {
	a, ok := all[key]
	if !ok {
		a = &account{}
		all[key] = a
	}
	a.requests++
	return a
}

func (b *Budget) close(of caller.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	closeIn(b.accounts, of)
	closeIn(b.groups, of.Group())
}

func closeIn[K comparable](all map[K]*account, key K) {
	a := all[key]
	if a.requests--; a.requests == 0 {
		delete(all, key)
	}
}

// take adds bytes for a request of the caller, of which some are counted already. What is
// rejected is never counted in the budget, where it might have others rejected.
func (b *Budget) take(a *account, of caller.Key, counted, bytes int64) error {
	free := Max - b.held.Load() - bytes
	switch {
	case free < 0:
		return errExhausted
	case !addUpTo(max(b.Share.Of(Max), counted+bytes), &a.held, bytes):
		return errShare
	case !addUpTo(max(b.companies.Limit(of, free), counted+bytes), &a.group.held, bytes):
		a.held.Add(-bytes)
		return errCompany
	case !addUpTo(Max, &b.held, bytes):
		a.add(-bytes)
		return errExhausted
	}
	return nil
}

// add adds bytes to the memory of the caller and of its company.
func (a *account) add(bytes int64) {
	a.held.Add(bytes)
	a.group.held.Add(bytes)
}

// addUpTo adds bytes unless there would be more than the limit.
func addUpTo(limit int64, held *atomic.Int64, bytes int64) bool {
	for {
		now := held.Load()
		if now+bytes > limit {
			return false
		}
		if held.CompareAndSwap(now, now+bytes) {
			return true
		}
	}
}

// Reservation counts the memory of one request. It is for one goroutine at a time; a nil
// Reservation counts nothing.
type Reservation struct {
	budget  *Budget
	caller  caller.Key
	account *account // nil: nothing is counted
	held    int64
	counted int64
	rows    int64
}

// Reservation returns an empty reservation for a request of the caller. Set(0) returns its bytes
// to the budget.
func (b *Budget) Reservation(of caller.Key) Reservation { return Reservation{budget: b, caller: of} }

// IsUncounted reports whether Reserve would succeed for so many bytes because they are not counted.
func (r *Reservation) IsUncounted(bytes int) bool {
	return r == nil || r.held+int64(bytes) <= Uncounted
}

// Reserve adds bytes to the reservation. It adds nothing and returns a fault.Unavailable if the
// budget is exhausted, a fault.Throttled if other requests of the caller or its company hold
// their share, and a fault.Malformed if the request alone exceeds the budget.
func (r *Reservation) Reserve(bytes int) error {
	if r == nil {
		return nil
	}
	more := max(r.held+int64(bytes)-Uncounted, 0) - r.counted
	if r.counted+more > Max {
		return errTooLarge
	}
	if more > 0 {
		if err := r.take(more); err != nil {
			return err
		}
	}
	r.held += int64(bytes)
	return nil
}

func (r *Reservation) take(bytes int64) error {
	if r.account == nil {
		r.account = r.budget.open(r.caller)
	}
	if err := r.budget.take(r.account, r.caller, r.counted, bytes); err != nil {
		r.closeEmpty()
		return err
	}
	r.counted += bytes
	return nil
}

func (r *Reservation) closeEmpty() {
	if r.account != nil && r.counted == 0 {
		r.budget.close(r.caller)
		r.account = nil
	}
}

// StartRows begins a result, and releases the rows of the previous one, because a request sends
// only its last result.
func (r *Reservation) StartRows() {
	if r != nil && r.rows > 0 {
		r.Set(int(r.held - 2*r.rows))
	}
}

// ReserveRow is like Reserve for a row of the response, which is counted twice: as received and
// as encoded. It returns ErrTooManyRows beyond MaxRows.
func (r *Reservation) ReserveRow(bytes int) error {
	if r == nil {
		return nil
	}
	if r.rows+int64(bytes) > MaxRows {
		return ErrTooManyRows
	}
	if err := r.Reserve(2 * bytes); err != nil {
		return err
	}
	r.rows += int64(bytes)
	return nil
}

// Release returns reserved bytes to the budget.
func (r *Reservation) Release(bytes int) {
	if r == nil || bytes == 0 {
		return
	}
	rows := r.rows
	r.Set(int(r.held) - bytes)
	r.rows = rows
}

// Set sets the size of the reservation, even beyond the limit, because the bytes are already
// allocated.
func (r *Reservation) Set(bytes int) {
	r.held, r.rows = int64(bytes), 0
	counted := max(r.held-Uncounted, 0)
	if counted > 0 && r.account == nil {
		r.account = r.budget.open(r.caller)
	}
	if r.account != nil {
		r.account.add(counted - r.counted)
		r.budget.held.Add(counted - r.counted)
	}
	r.counted = counted
	r.closeEmpty()
}

// Key is the context key of a *Reservation.
type Key struct{}

// From returns the reservation in the context; nil if there is none.
func From(ctx context.Context) *Reservation {
	r, _ := ctx.Value(Key{}).(*Reservation)
	return r
}
