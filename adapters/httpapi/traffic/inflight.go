package traffic

import (
	"sync"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/caller"
)

// InFlight limits the requests that are processed at the same time, of all callers and of
// each. A request that waits for its client, to receive the body or to send the response,
// does not count.
//
// Chose to refuse excess requests at once over a queue with a time limit, because admitted
// requests already wait for database connections, and no longer than the others take: the
// limit on the number bounds the time. Costs that a short burst beyond the limit is refused
// although it could have waited. Chose a fixed share for each caller over one that depends
// on how many there are, because the others then find free slots whenever they come. Costs
// that a single caller cannot use all slots.
type InFlight struct {
	limit, share int

	mu       sync.Mutex
	all      int
	byCaller map[caller.Key]int // without those that have none
}

// NewInFlight makes a limit, and one for each caller; with the limit 0 there is neither.
func NewInFlight(limit int, share caller.Share) *InFlight {
	return &InFlight{limit: limit, share: int(share.Of(int64(limit))), byCaller: map[caller.Key]int{}}
}

var (
	errBusy  = fault.New(fault.Unavailable, "the service is busy with other requests; try again")
	errShare = fault.New(fault.Throttled, "too many requests of this caller are in flight; wait for their responses")
)

// Enter counts a request of the caller. It is a fault.Unavailable if too many requests are in
// flight, and a fault.Throttled if the caller has used up its share.
func (f *InFlight) Enter(of caller.Key) error {
	if f.limit == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	own := f.byCaller[of]
	switch {
	case f.all >= f.limit:
		return errBusy
	case own >= f.share:
		return errShare
	}
	f.all++
	f.byCaller[of] = own + 1
	return nil
}

// Leave undoes one successful Enter of the caller.
func (f *InFlight) Leave(of caller.Key) {
	if f.limit == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all--
	f.remove(of)
}

// Move counts a request for another caller than before. If that is a fault.Throttled, the
// request stays with the first.
func (f *InFlight) Move(from, to caller.Key) error {
	if f.limit == 0 || from == to {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	own := f.byCaller[to]
	if own >= f.share {
		return errShare
	}
	f.byCaller[to] = own + 1
	f.remove(from)
	return nil
}

func (f *InFlight) remove(of caller.Key) {
	if n := f.byCaller[of]; n > 1 {
		f.byCaller[of] = n - 1
		return
	}
	delete(f.byCaller, of)
}
