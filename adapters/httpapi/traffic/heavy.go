package traffic

import (
	"context"
	"math"

	"golang.org/x/sync/semaphore"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/ports"
)

const (
	// HeavyBytes is how many bytes of text are written as documents at the same time.
	HeavyBytes = 2 << 20
	// lightBytes is what a document may have without waiting for others.
	lightBytes = 64 << 10
	// heavyPlaces is how many documents and pictures are in memory, and callerPlaces how many of one caller.
	heavyPlaces, callerPlaces = 16, 2
)

// Heavy limits the work of the processor that a request causes beside the database: writing documents and decoding pictures, or
// parsing large bodies.
//
// Chose: a caller waits for a place of its own before its document is read, and for its share of the bytes of all when the
// size is known. Because: what waits is then little, however many requests a caller sends, and no caller waits behind more than
// two of another one. Costs: the documents of one caller are written two at a time.
type Heavy struct {
	requests *InFlight // that wait or have a place
	places   *gate.Gate
	bytes    *semaphore.Weighted
}

// NewHeavy returns a limit that nothing uses, for the operations that the plural names in its errors. Of the requests that may be
// in flight, half may wait or have a place, and of these each caller has its share; 0 disables both.
func NewHeavy(operations string, maxRequests int, share ports.CallerShare) *Heavy {
	return &Heavy{
		requests: NewInFlight(maxRequests/2, share),
		places: gate.New(operations, gate.Limits{
			Running: heavyPlaces, PerCaller: callerPlaces, Waiting: math.MaxInt32, WaitingPerCaller: math.MaxInt32, Wait: math.MaxInt64,
		}),
		bytes: semaphore.NewWeighted(HeavyBytes),
	}
}

// Enter waits for a place of the caller in ctx, which must be left afterwards. The errors are those of InFlight.Enter, if too many
// requests wait, and of gate.Gate.Enter, if ctx ends first.
func (h *Heavy) Enter(ctx context.Context) (*HeavyPlace, error) {
	key := ports.CallerFrom(ctx)
	if err := h.requests.Enter(key); err != nil {
		return nil, err
	}
	leave, err := h.places.Enter(ctx)
	if err != nil {
		h.requests.Leave(key)
		return nil, err
	}
	return &HeavyPlace{heavy: h, key: key, leave: leave}, nil
}

// HeavyPlace is a place of a caller.
type HeavyPlace struct {
	heavy *Heavy
	key   ports.Caller
	leave func()
	bytes int64
}

// Weigh waits until work for so many bytes may begin. It is called once. Work for more bytes than there are runs alone, and
// work for few of them does not wait. The error is that of ctx, if it ends first.
func (p *HeavyPlace) Weigh(ctx context.Context, bytes int) error {
	if bytes <= lightBytes {
		return ctx.Err()
	}
	weight := int64(min(bytes, HeavyBytes))
	if err := p.heavy.bytes.Acquire(ctx, weight); err != nil {
		return err
	}
	p.bytes = weight
	return nil
}

// Leave ends the work.
func (p *HeavyPlace) Leave() {
	p.heavy.bytes.Release(p.bytes)
	p.leave()
	p.heavy.requests.Leave(p.key)
}
