package postgres_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// accepting has PgBouncer accept the parameters of the service's connections, and drop most of them.
const accepting = "ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout, " +
	"default_transaction_isolation, jit, max_parallel_workers_per_gather, plan_cache_mode, enable_seqscan, random_page_cost"

func open(t *testing.T, c postgres.Config) *postgres.DB {
	t.Helper()
	pool, err := postgres.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// contract 1.86
func TestPoolerThatKeepsNoSessionsIsRefused(t *testing.T) {
	t.Parallel()
	direct := pgtest.URL(t)
	if err := postgres.CheckPooler(t.Context(), direct); err != nil {
		t.Errorf("without a pooler: %v", err)
	}
	for mode, isRefused := range map[string]bool{"session": false, "transaction": true, "statement": true} {
		url := pgtest.StartPooler(t, "pool_mode = "+mode, accepting).URL(direct)
		if err := postgres.CheckPooler(t.Context(), url); errors.Is(err, postgres.ErrNoSession) != isRefused {
			t.Errorf("pool_mode %s: %v", mode, err)
		}
		_, err := open(t, postgres.Config{URL: url, MaxConns: 1, Zone: "UTC"}).Exec(t.Context(), "select")
		if errors.Is(err, postgres.ErrNoSession) != isRefused {
			t.Errorf("a connection with pool_mode %s: %v", mode, err)
		}
	}
}

// contract 1.86
func TestConnectionWithoutASettingIsRefused(t *testing.T) {
	t.Parallel()
	url := pgtest.StartPooler(t, "pool_mode = session", accepting).URL(pgtest.URL(t))
	_, err := open(t, postgres.Config{URL: url, MaxConns: 1, Zone: "UTC"}).Exec(t.Context(), "select")
	mismatch, ok := errors.AsType[postgres.SessionMismatch](err)
	if !ok {
		t.Fatal(err)
	}
	for _, w := range mismatch.Wrong {
		if w.Name == "plan_cache_mode" && w.Want == "force_generic_plan" {
			return
		}
	}
	t.Errorf("the cache mode of plans is not missed: %v", err)
}

func TestExecModeWithoutTypesIsRefused(t *testing.T) {
	t.Parallel()
	url := pgtest.WithParameter(t, pgtest.URL(t), "default_query_exec_mode", "simple_protocol")
	if _, err := postgres.Open(t.Context(), postgres.Config{URL: url, Zone: "UTC"}); err == nil || !strings.Contains(err.Error(), "default_query_exec_mode") {
		t.Errorf("got %v", err)
	}
}

// written counts what is sent.
type written struct {
	net.Conn
	times *atomic.Int32
}

func (w written) Write(b []byte) (int, error) {
	w.times.Add(1)
	return w.Conn.Write(b)
}

func TestNewConnectionIsCheckedInOneRoundTrip(t *testing.T) {
	t.Parallel()
	for _, url := range []string{pgtest.URL(t), pgtest.EmptyURL(t)} {
		config := open(t, postgres.Config{URL: url, Zone: "UTC", StatementTimeout: 90 * time.Second, LockTimeout: 1500 * time.Millisecond}).Config()
		var sent atomic.Int32
		dial := config.ConnConfig.DialFunc
		config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			return written{conn, &sent}, err
		}
		connect := func() int32 {
			sent.Store(0)
			pool, err := pgxpool.NewWithConfig(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			if err := pool.Ping(t.Context()); err != nil {
				t.Fatal(err)
			}
			return sent.Load()
		}
		checked := connect()
		config.AfterConnect = nil
		if trips := checked - connect(); trips != 1 {
			t.Errorf("%d round trips check a new connection, want 1", trips)
		}
	}
}
