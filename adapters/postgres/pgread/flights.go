package pgread

import (
	"context"
	"sync"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
)

// flights lets one of several identical searches count their matches, and the others
// wait for it.
//
// Chose to count in the request of the first search, over a goroutine of its own,
// because statements are observed and memory is reserved for a request, by one
// goroutine; costs that this request, once cancelled, ends only when the count does, if
// others wait for it.
type flights struct {
	mu      sync.Mutex
	running map[string]*flight
}

type flight struct {
	ctx     context.Context // of the count: cancelled when no search wants it any more
	cancel  context.CancelFunc
	wanted  int // by how many searches
	ended   chan struct{}
	matches matches // once it has ended
	err     error
}

// join returns the flight for the search, and whether the caller leads: it has to count
// and to call end. The caller calls leave when it does not need the count any more.
func (s *flights) join(ctx context.Context, search string) (f *flight, leads bool, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, joined := s.running[search]
	if !joined {
		f = &flight{ended: make(chan struct{})}
		f.ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
		if s.running == nil {
			s.running = map[string]*flight{}
		}
		s.running[search] = f
	}
	f.wanted++
	once := sync.OnceFunc(func() { s.leave(search, f) })
	stop := context.AfterFunc(ctx, once)
	return f, !joined, func() {
		stop()
		once()
	}
}

func (s *flights) leave(search string, f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.wanted--; f.wanted == 0 {
		f.cancel()
		s.forget(search, f)
	}
}

// end tells the searches that wait what was counted.
func (s *flights) end(search string, f *flight, m matches, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.matches, f.err = m, err
	close(f.ended)
	s.forget(search, f)
}

func (s *flights) forget(search string, f *flight) {
	if s.running[search] == f {
		delete(s.running, search)
	}
}

// wait returns what was counted; nothing if the search that counts exceeds the share of its
// caller, which is not that of the others, or if its server failed, which need not be theirs.
func (f *flight) wait(ctx context.Context) (matches, error) {
	select {
	case <-f.ended:
		if fault.Is(f.err, fault.Throttled) {
			return matches{}, nil
		}
		return f.matches, f.err
	case <-ctx.Done():
		return matches{}, postgres.Fault(ctx.Err(), postgres.Storing)
	}
}
