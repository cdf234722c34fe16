package postgres_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// limited opens pools with one limit, each of at most four connections.
func limited(t *testing.T, connections, pools int) (*postgres.Limit, []*pgxpool.Pool) {
	t.Helper()
	return limitedOn(t, pgtest.URL(t), connections, pools)
}

func limitedOn(t *testing.T, database string, connections, pools int) (*postgres.Limit, []*pgxpool.Pool) {
	t.Helper()
	l := postgres.NewLimit(connections)
	all := make([]*pgxpool.Pool, pools)
	for i := range all {
		pool, err := postgres.Open(t.Context(), postgres.Config{
			URL: database, Zone: "UTC", MaxConns: 4, StatementTimeout: 10 * time.Second, LockTimeout: 5 * time.Second, Limit: l,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close(pool) })
		all[i] = pool
	}
	return l, all
}

func acquire(t *testing.T, pool *pgxpool.Pool) *pgxpool.Conn {
	t.Helper()
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// contract 14.41
func TestNewConnectionReplacesOneOfTheLeastRecentlyUsedPool(t *testing.T) {
	t.Parallel()
	_, pools := limited(t, 2, 3)
	for _, pool := range pools[:2] {
		acquire(t, pool).Release()
	}
	time.Sleep(300 * time.Millisecond) // new ones are kept
	acquire(t, pools[0]).Release()     // used after pools[1]
	acquire(t, pools[2]).Release()
	for i, want := range []int32{1, 0, 1} {
		if n := pools[i].Stat().TotalConns(); n != want {
			t.Errorf("pool %d has %d connections", i, n)
		}
	}
}

// contract 14.41
func TestNewConnectionWaitsWhileAllAreInUse(t *testing.T) {
	t.Parallel()
	l, pools := limited(t, 1, 2)
	held := acquire(t, pools[0])
	time.AfterFunc(100*time.Millisecond, held.Release)
	acquire(t, pools[1]).Release()
	if l.Waiting() != 0 {
		t.Error("one is still waiting")
	}

	held = acquire(t, pools[0])
	defer held.Release()
	_, err := pools[1].Acquire(t.Context())
	if err = postgres.Fault(err, postgres.Storing); !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.As(err).Error(), "are in use; try again") {
		t.Errorf("got %v", err)
	}
}

// contract 14.41
func TestBusyPoolsShareTheConnections(t *testing.T) {
	t.Parallel()
	const most, times = 3, 20
	database, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	query := database.Query()
	query.Set("connect_timeout", "60") // which waiting for a connection is part of, on a busy machine too
	database.RawQuery = query.Encode()
	_, pools := limitedOn(t, database.String(), most, 8)
	var connections, unserved atomic.Int64
	unserved.Store(int64(len(pools)))
	var callers sync.WaitGroup
	for _, pool := range pools {
		var served atomic.Int64
		for range 2 {
			callers.Go(func() { // until each pool has been served so often
				for unserved.Load() > 0 {
					if _, err := pool.Exec(t.Context(), "select pg_sleep(0.002)"); err != nil {
						t.Error(err)
						unserved.Store(0)
						return
					}
					if served.Add(1) == times {
						unserved.Add(-1)
					}
				}
			})
		}
	}
	for unserved.Load() > 0 {
		n := int64(0)
		for _, pool := range pools {
			n += int64(pool.Stat().AcquiredConns())
		}
		connections.Store(max(connections.Load(), n))
		time.Sleep(time.Millisecond)
	}
	callers.Wait()
	if connections.Load() > most {
		t.Errorf("%d connections were in use at a time", connections.Load())
	}
}

// A request that is cancelled connects once more to cancel its statement.
func TestCancellingDoesNotWaitForAConnection(t *testing.T) {
	t.Parallel()
	_, pools := limited(t, 1, 1)
	conn := acquire(t, pools[0])
	defer conn.Release()
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := conn.Exec(ctx, "select pg_sleep(10)"); err == nil {
		t.Fatal("the statement was not cancelled")
	}
	if conn.Conn().IsClosed() {
		t.Error("the connection was closed instead")
	}
}

func TestFailedConnectionsDoNotCount(t *testing.T) {
	t.Parallel()
	l, pools := limited(t, 1, 1)
	config := pools[0].Config().ConnConfig
	wrong := fmt.Sprintf("postgres://%s:wrong@%s:%d/nowhere?connect_timeout=2", config.User, config.Host, config.Port)
	bad, err := postgres.Open(t.Context(), postgres.Config{URL: wrong, Zone: "UTC", MaxConns: 4, Limit: l})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close(bad)
	for range 3 {
		if _, err := bad.Exec(t.Context(), "select"); err == nil {
			t.Fatal("it has connected")
		}
	}
	acquire(t, pools[0]).Release()
}
