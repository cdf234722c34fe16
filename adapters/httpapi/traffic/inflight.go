package traffic

import (
	"sync/atomic"

	"github.com/kontor-crm/kontor/domain/fault"
)

// InFlight limits the requests that are processed at the same time. A request that waits
// for its client, to receive the body or to send the response, does not count.
//
// Chose to refuse excess requests at once over a queue with a time limit, because admitted
// requests already wait for database connections, and no longer than Max others take: the
// limit on the number bounds the time. Costs that a short burst beyond the limit is refused
// although it could have waited.
type InFlight struct {
	Max int64 // 0: no limit
	now atomic.Int64
}

var errBusy = fault.New(fault.Unavailable, "the service is busy with other requests; try again")

// Enter is a fault.Unavailable if too many requests are in flight.
func (f *InFlight) Enter() error {
	if f.now.Add(1) > f.Max && f.Max > 0 {
		f.now.Add(-1)
		return errBusy
	}
	return nil
}

// Leave undoes one successful Enter.
func (f *InFlight) Leave() { f.now.Add(-1) }
