package traffic

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

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
//
// Chose: whole lists have a limit of their own (pgread). Because: they wait for their clients, and documents would wait with
// them. Costs: two limits.
type Heavy struct {
	requests      *InFlight // that wait or have a place
	places, bytes *semaphore.Weighted

	mu      sync.Mutex
	callers map[ports.Caller]*heavyCaller
}

// heavyCaller is dropped with its last user.
type heavyCaller struct {
	places *semaphore.Weighted
	users  int // that wait or have a place
}

// NewHeavy returns a limit that nothing uses. Of the requests that may be in flight, half may wait or have a place, and of these
// each caller has its share; 0 disables both.
func NewHeavy(maxRequests int, share ports.CallerShare) *Heavy {
	return &Heavy{
		requests: NewInFlight(maxRequests/2, share), places: semaphore.NewWeighted(heavyPlaces),
		bytes: semaphore.NewWeighted(HeavyBytes), callers: map[ports.Caller]*heavyCaller{},
	}
}

// Enter waits for a place of the caller in ctx, which must be left afterwards. The error is that of ctx, if it ends first, or
// that of InFlight.Enter, if too many requests wait.
func (h *Heavy) Enter(ctx context.Context) (*HeavyPlace, error) {
	p := &HeavyPlace{heavy: h, key: ports.CallerFrom(ctx)}
	if err := h.requests.Enter(p.key); err != nil {
		return nil, err
	}
	h.mu.Lock()
	if p.caller = h.callers[p.key]; p.caller == nil {
		p.caller = &heavyCaller{places: semaphore.NewWeighted(callerPlaces)}
		h.callers[p.key] = p.caller
	}
	p.caller.users++
	h.mu.Unlock()
	if err := p.caller.places.Acquire(ctx, 1); err != nil {
		p.part()
		return nil, err
	}
	if err := h.places.Acquire(ctx, 1); err != nil {
		p.caller.places.Release(1)
		p.part()
		return nil, err
	}
	return p, nil
}

// HeavyPlace is a place of a caller.
type HeavyPlace struct {
	heavy  *Heavy
	key    ports.Caller
	caller *heavyCaller
	bytes  int64
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
	p.heavy.places.Release(1)
	p.caller.places.Release(1)
	p.part()
}

func (p *HeavyPlace) part() {
	p.heavy.requests.Leave(p.key)
	p.heavy.mu.Lock()
	defer p.heavy.mu.Unlock()
	if p.caller.users--; p.caller.users == 0 {
		delete(p.heavy.callers, p.key)
	}
}
