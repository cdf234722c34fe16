package gate

import (
	"sync"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
)

// InFlight limits the requests that are processed at the same time, of all callers and of each, or those of them that are heavy.
// A request that waits for its client, to receive the body or to send the response, does not count.
//
// Chose: excess requests are rejected at once, instead of queued with a time limit. Because:
// admitted requests already wait for database connections, and no longer than the others take: the
// limit on the number bounds the time. Costs: a short burst beyond the limit is rejected although
// it could have waited.
//
// Chose: a fixed share for each caller over one that depends on how many there are. Because: the
// others then find free slots whenever they come. Costs: a single caller cannot use all slots.
type InFlight struct {
	limit, share int

	mu       sync.Mutex
	all      int
	byCaller map[ports.Caller]int // without those that have none
}

// NewInFlight returns a limit, of which each caller has a share; 0 disables both.
func NewInFlight(limit int, share ports.CallerShare) *InFlight {
	return &InFlight{limit: limit, share: share.Of(limit), byCaller: map[ports.Caller]int{}}
}

// ErrBusy is the error of a request beyond a limit for all requests.
var ErrBusy = fault.New(fault.Unavailable, "the service is busy with other requests; try again")

var errShare = fault.New(fault.Throttled, "too many requests of this caller are in flight; wait for their responses")

// Enter counts a request of the caller. It returns ErrBusy if too many requests are in flight, and a
// fault.Throttled if the caller has used up its share. A nil InFlight limits nothing.
func (f *InFlight) Enter(key ports.Caller) error {
	if f == nil || f.limit == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all >= f.limit {
		return ErrBusy
	}
	if f.byCaller[key] >= f.share {
		return errShare
	}
	f.all++
	f.byCaller[key]++
	return nil
}

// Leave reverts a successful Enter of the caller.
func (f *InFlight) Leave(key ports.Caller) {
	if f == nil || f.limit == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all--
	f.remove(key)
}

// Move counts a request for another caller than before. If it returns a fault.Throttled, the
// request still counts for the first one.
func (f *InFlight) Move(from, to ports.Caller) error {
	if f.limit == 0 || from == to {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byCaller[to] >= f.share {
		return errShare
	}
	f.byCaller[to]++
	f.remove(from)
	return nil
}

func (f *InFlight) remove(key ports.Caller) {
	if f.byCaller[key]--; f.byCaller[key] <= 0 {
		delete(f.byCaller, key)
	}
}
