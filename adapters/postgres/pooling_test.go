package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestPoolingIsDetected(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	for name, c := range map[string]struct {
		settings []string
		want     postgres.Pooling
	}{
		"transactions":                {nil, postgres.TransactionPooling},
		"transactions, in turn":       {[]string{"server_round_robin = 1"}, postgres.TransactionPooling},
		"transactions, by one server": {[]string{"default_pool_size = 1"}, postgres.TransactionPooling},
		"sessions":                    {[]string{"pool_mode = session"}, postgres.SessionPooling},
		"statements":                  {[]string{"pool_mode = statement"}, postgres.StatementPooling},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expectPooling(t, pgtest.StartPooler(t, c.settings...).URL(address), c.want)
		})
	}
	expectPooling(t, address, postgres.NoPooling)
}

func expectPooling(t *testing.T, address string, want postgres.Pooling) {
	t.Helper()
	if got, err := postgres.PoolingOf(t.Context(), address); err != nil || got != want {
		t.Errorf("the pooling is %d, %v; want %d", got, err, want)
	}
}

// behindPooler is how a service connects through the pooler.
func behindPooler(pooler *pgtest.Pooler, address string) postgres.Config {
	return postgres.Config{
		URL: pooler.URL(address), Pooled: true, MaxConns: 4, Zone: "Europe/Berlin",
		StatementTimeout: 10 * time.Second, LockTimeout: 5 * time.Second,
	}
}

// open opens a pool of the configuration, which must be possible.
func open(t *testing.T, c postgres.Config) *pgxpool.Pool {
	t.Helper()
	pool, err := postgres.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// prepare makes the settings of a service the defaults of the role.
func prepare(t *testing.T, address string, c postgres.Config) {
	t.Helper()
	direct := pgtest.Pool(t, address)
	config := direct.Config().ConnConfig
	for _, sql := range postgres.RoleDefaults(c, config.User, config.Database) {
		execute(t, direct, sql)
	}
}

// contract 1.86, 1.83
func TestPoolerWithoutTheSettingsIsRejectedUntilTheStatementsAreRun(t *testing.T) {
	t.Parallel()
	pooler, address := pgtest.StartPooler(t), pgtest.URL(t)
	c := behindPooler(pooler, address)
	pool := open(t, c)
	err := pool.Ping(t.Context())
	mismatch, ok := errors.AsType[postgres.SessionMismatch](err)
	if !ok || !fault.Is(err, fault.Unavailable) || len(mismatch.Wrong) != 8 {
		t.Fatalf("without the settings: %v, want unavailable for 8 of them", err)
	}
	direct := pgtest.Pool(t, address)
	_, sql, _ := strings.Cut(mismatch.Remedy(), "in the console of PgBouncer: ")
	for statement := range strings.SplitSeq(sql, "; ") {
		execute(t, direct, statement)
	}
	pooler.Reconnect(t, address)
	if err := pool.Ping(t.Context()); err != nil {
		t.Fatalf("after the statements of the message: %v", err)
	}
	for name, want := range map[string]string{
		"TimeZone": "Europe/Berlin", "DateStyle": "ISO, YMD", "application_name": "kontor",
		"statement_timeout": "10s", "lock_timeout": "5s", "idle_in_transaction_session_timeout": "20s",
		"default_transaction_isolation": "read committed", "jit": "off", "max_parallel_workers_per_gather": "0", "plan_cache_mode": "force_generic_plan",
		"enable_seqscan": "off", "random_page_cost": "1.1",
	} {
		if got := column[string](t, pool, "select current_setting($1)", name)[0]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// contract 1.86, 1.83
func TestPoolerConnectionIsRejectedWhenItLosesASetting(t *testing.T) {
	t.Parallel()
	pooler, address := pgtest.StartPooler(t, "default_pool_size = 1"), pgtest.URL(t)
	c := behindPooler(pooler, address)
	prepare(t, address, c)
	pool := open(t, c)
	if err := pool.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Another client of the only server connection.
	execute(t, pgtest.Pool(t, pooler.URL(address)), "set statement_timeout = 0")
	becomesUnavailable(t, pool, "statement_timeout")
}

// becomesUnavailable waits until the pool rejects its connections, with a reason.
func becomesUnavailable(t *testing.T, pool *pgxpool.Pool, reason string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		err := pool.Ping(t.Context())
		if err == nil {
			continue
		}
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), reason) {
			t.Fatalf("%v, want unavailable because of %s", err, reason)
		}
		return
	}
	t.Fatal("the connection is still used")
}

func TestPoolerOfStatementsIsRejected(t *testing.T) { // contract 1.83
	t.Parallel()
	address := pgtest.URL(t)
	c := behindPooler(pgtest.StartPooler(t, "pool_mode = statement"), address)
	prepare(t, address, c)
	if err := open(t, c).Ping(t.Context()); !fault.Is(postgres.Fault(err, postgres.Storing), fault.Unavailable) {
		t.Errorf("a pooler without transactions: %v, want unavailable", err)
	}
}

// A pooler that ignores what it does not know drops the settings of a direct connection.
func TestConnectionWithoutItsSettingsIsRejected(t *testing.T) { // contract 1.86
	t.Parallel()
	address := pgtest.URL(t)
	c := behindPooler(pgtest.StartPooler(t, "ignore_startup_parameters = statement_timeout, lock_timeout, "+
		"idle_in_transaction_session_timeout, default_transaction_isolation, jit, max_parallel_workers_per_gather, plan_cache_mode, enable_seqscan, random_page_cost"), address)
	c.Pooled = false
	err := open(t, c).Ping(t.Context())
	if _, ok := errors.AsType[postgres.SessionMismatch](err); !ok || !strings.Contains(err.Error(), "KONTOR_POOLER_URL") {
		t.Errorf("a connection that has lost its settings: %v, want a SessionMismatch that names KONTOR_POOLER_URL", err)
	}
}

// The connection of a cancel request that ends too early stops PgBouncer 1.18.
func TestPoolerCancelsStatementsAndKeepsConnections(t *testing.T) {
	t.Parallel()
	pooler, address := pgtest.StartPooler(t), pgtest.URL(t)
	c := behindPooler(pooler, address)
	prepare(t, address, c)
	pool := open(t, c)
	if err := pool.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	const cancelled = 10
	for range cancelled {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := pool.Exec(ctx, "select pg_sleep(20)")
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) && !fault.Is(postgres.Fault(err, postgres.Storing), fault.Unavailable) {
			t.Fatalf("a cancelled statement returns %v", err)
		}
	}
	if err := pool.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := pool.Stat().NewConnsCount(); n >= cancelled {
		t.Errorf("%d connections were made for %d cancelled statements, want that these keep their own", n, cancelled)
	}
	direct := pgtest.Pool(t, address)
	if n := column[int64](t, direct, "select count(*) from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()")[0]; n != 0 {
		t.Errorf("%d cancelled statements still run", n)
	}
}

func TestExecModeOfTheURLIsUsed(t *testing.T) {
	t.Parallel()
	const execMode = "default_query_exec_mode"
	pooler, address := pgtest.StartPooler(t), pgtest.URL(t)
	for mode, want := range map[string]pgx.QueryExecMode{
		"": pgx.QueryExecModeCacheDescribe, "cache_statement": pgx.QueryExecModeCacheStatement, "describe_exec": pgx.QueryExecModeDescribeExec,
	} {
		c := behindPooler(pooler, address)
		c.URL = pgtest.WithParameter(t, c.URL, execMode, mode)
		if got := open(t, c).Config().ConnConfig.DefaultQueryExecMode; got != want {
			t.Errorf("%q: the mode is %v, want %v", mode, got, want)
		}
	}
	c := behindPooler(pooler, address)
	c.URL = pgtest.WithParameter(t, c.URL, execMode, "simple_protocol")
	if _, err := postgres.Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), execMode) {
		t.Errorf("a mode that cannot be used: %v", err)
	}
}
