package traffic

import (
	"sync"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/caller"
)

// InFlight limits the requests that are processed at the same time, of all callers, of each,
// and of those of one company. A request that waits for its client, to receive the body or to
// send the response, does not count.
//
// Chose to reject excess requests at once over a queue with a time limit, because admitted
// requests already wait for database connections, and no longer than the others take: the
// limit on the number bounds the time. Costs that a short burst beyond the limit is rejected
// although it could have waited. Chose a fixed share for each caller over one that depends
// on how many there are, because the others then find free slots whenever they come. Costs
// that a single caller cannot use all slots.
type InFlight struct {
	limit, share int
	companies    caller.Companies

	mu       sync.Mutex
	all      int
	byCaller map[caller.Key]int   // without those that have none
	byGroup  map[caller.Group]int // of them
}

// NewInFlight returns a limit, of which each caller has a share; 0 disables both.
func NewInFlight(limit int, share caller.Share) *InFlight {
	return &InFlight{limit: limit, share: int(share.Of(int64(limit))), byCaller: map[caller.Key]int{}, byGroup: map[caller.Group]int{}}
}

var (
	errBusy    = fault.New(fault.Unavailable, "the service is busy with other requests; try again")
	errShare   = fault.New(fault.Throttled, "too many requests of this caller are in flight; wait for their responses")
	errCompany = fault.New(fault.Throttled, "too many requests of this company are in flight; wait for their responses")
)

// Enter counts a request of the caller. It returns a fault.Unavailable if too many requests
// are in flight, and a fault.Throttled if the caller or its company has used up its share.
func (f *InFlight) Enter(of caller.Key) error {
	if f.limit == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all >= f.limit {
		return errBusy
	}
	if err := f.check(of, f.limit-f.all-1); err != nil {
		return err
	}
	f.all++
	f.add(of)
	return nil
}

// Leave reverts a successful Enter of the caller.
func (f *InFlight) Leave(of caller.Key) {
	if f.limit == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all--
	f.remove(of)
}

// Move counts a request for another caller than before. If it returns a fault.Throttled, the
// request still counts for the first one.
func (f *InFlight) Move(from, to caller.Key) error {
	if f.limit == 0 || from == to {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.check(to, f.limit-f.all); err != nil {
		return err
	}
	f.add(to)
	f.remove(from)
	return nil
}

// check returns an error if the caller, or its company, may not have one more request, beside
// which so many slots are free.
func (f *InFlight) check(of caller.Key, free int) error {
	switch {
	case f.byCaller[of] >= f.share:
		return errShare
	case f.byGroup[of.Group()] >= int(max(f.companies.Limit(of, int64(free)), 1)):
		return errCompany
	}
	return nil
}

func (f *InFlight) add(of caller.Key) {
	f.byCaller[of]++
	f.byGroup[of.Group()]++
}

func (f *InFlight) remove(of caller.Key) {
	decrease(f.byCaller, of)
	decrease(f.byGroup, of.Group())
}

func decrease[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}
