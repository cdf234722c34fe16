package postgres

import (
	"cmp"
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"github.com/kontor-crm/kontor/domain/fault"
)

// Limit is a limit on the connections that several pools have together: those of Open whose
// configuration has it. When it is reached, a new connection takes the place of one that is not in
// use, of the pool that has been used least recently. If all are in use, it waits for the first that is
// released, as long as connecting may take.
//
// Chose: connections are counted when they are dialed and closed, without a queue in front of the
// pools. Because: every end of a connection closes its socket, and a pool stays an ordinary one.
// Costs: requests of many busy companies wait for new connections, which take some milliseconds:
// each is kept for minAge, however many wait.
type Limit struct {
	slots   *semaphore.Weighted
	waiting atomic.Int64

	mu    sync.Mutex
	pools []*limitedPool
}

type limitedPool struct {
	*pgxpool.Pool
	// In nanoseconds:
	used   atomic.Int64 // when a connection was last acquired
	opened atomic.Int64 // when the newest one was opened
}

// NewLimit returns a limit of so many connections.
func NewLimit(connections int) *Limit {
	return &Limit{slots: semaphore.NewWeighted(int64(connections))}
}

const (
	// minAge is for how long a new connection is kept while others wait for one.
	minAge = 200 * time.Millisecond
	// idlePause is how often one that waits looks for a connection that is not in use.
	idlePause = 10 * time.Millisecond
)

// The keys of a connection's data for the time at which it was opened, and for whether it has been used.
const (
	openedAt = "opened at"
	isUsed   = "is used"
)

var errNoConnection = fault.New(fault.Unavailable, "all connections to the database are in use; try again")

// open opens a pool whose connections count.
func (l *Limit) open(ctx context.Context, config *pgxpool.Config) (*pgxpool.Pool, error) {
	p := &limitedPool{}
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		l.count(c, p)
		return nil
	}
	next := config.PrepareConn
	config.PrepareConn = func(ctx context.Context, conn *pgx.Conn) (bool, error) {
		p.used.Store(time.Now().UnixNano())
		if markUsed(conn) && l.isWanted(conn) {
			return false, nil // a new one waits behind those that have waited for longer
		}
		if next == nil {
			return true, nil
		}
		return next(ctx, conn)
	}
	var err error
	if p.Pool, err = newPool(ctx, config); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pools = append(l.pools, p)
	return p.Pool, nil
}

// Close closes the pool, when its connections have been released.
func (l *Limit) Close(pool *pgxpool.Pool) {
	l.mu.Lock()
	l.pools = slices.DeleteFunc(l.pools, func(p *limitedPool) bool { return p.Pool == pool })
	l.mu.Unlock()
	pool.Close()
}

// Waiting returns how many new connections wait for others to be closed.
func (l *Limit) Waiting() int { return int(l.waiting.Load()) }

// isWanted reports whether the connection has to be closed for one that waits.
func (l *Limit) isWanted(conn *pgx.Conn) bool {
	if l.waiting.Load() == 0 {
		return false
	}
	opened, _ := conn.PgConn().CustomData()[openedAt].(time.Time)
	return time.Since(opened) >= minAge
}

// markUsed marks the connection as used, and reports whether it was used before. A new connection is always used
// once: a pool that discards one connection more than it may have fails the request.
func markUsed(conn *pgx.Conn) (before bool) {
	data := conn.PgConn().CustomData()
	before = data[isUsed] != nil
	data[isUsed] = true
	return before
}

// count makes a new connection count from when it dials to when it is closed. A connection also dials to
// cancel a statement, which must not wait.
func (l *Limit) count(config *pgx.ConnConfig, p *limitedPool) {
	var isConnected atomic.Bool
	dial, prepare := config.DialFunc, config.AfterConnect
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if isConnected.Load() {
			return dial(ctx, network, address)
		}
		return l.dial(ctx, dial, network, address)
	}
	config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		isConnected.Store(true)
		now := time.Now()
		conn.CustomData()[openedAt] = now
		p.opened.Store(now.UnixNano())
		if prepare == nil {
			return nil
		}
		return prepare(ctx, conn)
	}
}

func (l *Limit) dial(ctx context.Context, dial pgconn.DialFunc, network, address string) (net.Conn, error) {
	if err := l.take(ctx); err != nil {
		return nil, errNoConnection // without the cause, in whose place pgx would report a timeout
	}
	conn, err := dial(ctx, network, address)
	if err != nil {
		l.slots.Release(1)
		return nil, err
	}
	return &countedConn{Conn: conn, release: sync.OnceFunc(func() { l.slots.Release(1) })}, nil
}

func (l *Limit) take(ctx context.Context) error {
	if l.slots.TryAcquire(1) {
		return nil
	}
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	looking, stop := context.WithCancel(ctx)
	defer stop()
	go l.closeIdle(looking)
	return l.slots.Acquire(ctx, 1)
}

// closeIdle closes connections that are not in use, of one pool at a time, until the context ends.
func (l *Limit) closeIdle(ctx context.Context) {
	for ctx.Err() == nil {
		for _, p := range l.leastRecentlyUsed() {
			if p.closeIdle(ctx) {
				break
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(idlePause):
		}
	}
}

func (l *Limit) leastRecentlyUsed() []*limitedPool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(slices.Values(l.pools), func(a, b *limitedPool) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
}

// closeIdle closes the connections that are not in use, unless some are new, and reports whether there
// were any.
func (p *limitedPool) closeIdle(ctx context.Context) bool {
	if p.Stat().IdleConns() == 0 || time.Since(time.Unix(0, p.opened.Load())) < minAge {
		return false
	}
	used := p.used.Load()
	for _, conn := range p.AcquireAllIdle(ctx) { // those that PrepareConn has not closed
		conn.Release()
	}
	p.used.Store(used)
	return true
}

// countedConn is a socket that counts until it is closed.
type countedConn struct {
	net.Conn
	release func()
}

func (c *countedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
