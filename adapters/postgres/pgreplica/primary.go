package pgreplica

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/position"
)

// primary is what is known of the primary. Its samples say since when it had written what.
type primary struct {
	pool   *pgxpool.Pool
	keep   time.Duration // how long samples are needed
	elapse func() time.Duration

	mu      sync.Mutex
	newest  position.Position // zero: not known yet
	samples []sample          // by rising position, all on the timeline of the newest
}

// sample is that the primary had written up to a place at a time.
type sample struct {
	at  time.Duration
	wal uint64
}

func (p *primary) read(ctx context.Context) (position.Position, error) {
	at := p.elapse()
	now, err := postgres.Repeat(ctx, p.pool, func() (now position.Position, err error) {
		err = p.pool.QueryRow(ctx, "select p.system_identifier, p.timeline, p.wal from "+postgres.PresentPosition).
			Scan(&now.System, &now.Timeline, &now.WAL)
		return now, err
	})
	if err == nil {
		p.add(now, at)
	}
	return now, err
}

func (p *primary) add(now position.Position, at time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	same := now.System == p.newest.System && now.Timeline == p.newest.Timeline
	if same && now.WAL <= p.newest.WAL {
		return
	}
	if !same {
		p.samples = nil
	}
	p.newest = now
	p.samples = append(p.samples, sample{at, now.WAL})
	// The last of the older ones has the position of the primary then.
	if old := slices.IndexFunc(p.samples, func(s sample) bool { return at-s.at <= p.keep }); old > 1 {
		p.samples = slices.Delete(p.samples, 0, old-1)
	}
}

func (p *primary) position() position.Position {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newest
}

// lag returns for how long a server that has replayed up to the place has lacked what the
// primary had written.
func (p *primary) lag(wal uint64) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	first, _ := slices.BinarySearchFunc(p.samples, wal+1, func(s sample, wal uint64) int {
		if s.wal < wal {
			return -1
		}
		return 1
	})
	if first == len(p.samples) {
		return 0
	}
	return p.elapse() - p.samples[first].at
}
