package postgres_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func probe(t *testing.T, url string) *postgres.Probe {
	t.Helper()
	p, err := postgres.NewProbe(t.Context(), postgres.Config{URL: url, Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// contract 1.18
func TestProbeFollowsSchema(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	p := probe(t, url)
	if err := p.Ready(t.Context()); !errors.Is(err, postgres.ErrNotMigrated) {
		t.Errorf("an empty database: %v", err)
	}
	if err := postgres.MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if err := p.Ready(t.Context()); err != nil {
		t.Errorf("a migrated database: %v", err)
	}
	pool := pgtest.Pool(t, url)
	execute(t, pool, "insert into settings (name, value) values ('minimum_version', '99999')")
	if err := p.Ready(t.Context()); !isOf[postgres.TooOld](err) {
		t.Errorf("a database for newer programs: %v", err)
	}
	execute(t, pool, "delete from settings where name = 'minimum_version'")
	execute(t, pool, "insert into settings (name, value) values ('timezone', 'Europe/Berlin')")
	if err := p.Ready(t.Context()); !isOf[postgres.ZoneMismatch](err) {
		t.Errorf("a database in another zone: %v", err)
	}
}

func isOf[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// contract 1.18
func TestProbeOfLockedSchemaReturnsWhatItReadLast(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	old, fresh := probe(t, url), probe(t, url)
	if err := old.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"schema_migrations", "settings"} {
		holder, err := pgtest.Pool(t, url).Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		execute(t, holder, "lock table "+table+" in access exclusive mode")
		if err := old.Ready(t.Context()); err != nil {
			t.Errorf("%s is locked after it was read: %v", table, err)
		}
		if err := fresh.Ready(t.Context()); err == nil {
			t.Errorf("ready although %s was never read", table)
		}
		if err := holder.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := fresh.Ready(t.Context()); err != nil {
		t.Errorf("after the locks: %v", err)
	}
}

// contract 1.79
func TestProbeReplacesABrokenConnection(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	p, pool := probe(t, url), pgtest.Pool(t, url)
	if err := p.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	const connections = "from pg_stat_activity where datname = current_database() and application_name = 'kontor'"
	execute(t, pool, "select pg_terminate_backend(pid) "+connections)
	for column[int64](t, pool, "select count(*) "+connections)[0] > 0 {
		time.Sleep(time.Millisecond)
	}
	err := p.Ready(t.Context())
	for isCanceled(err) { // a new connection may take longer than the timeout of a probe while other tests use all processors
		err = p.Ready(t.Context())
	}
	if err != nil {
		t.Errorf("after the connection was closed: %v", err)
	}
}

func isCanceled(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "57014"
}

// contract 1.79
func TestProbeOfASilentServerEndsWithItsContext(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	p := probe(t, "postgres://kontor@"+silent.Addr().String()+"/kontor?sslmode=disable")
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		err := p.Ready(ctx)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a server that does not respond: %v", err)
		}
	}
}
