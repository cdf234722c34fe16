package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/observe"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// asRequest returns a context of a request.
func asRequest(t *testing.T) context.Context {
	t.Helper()
	return context.WithValue(t.Context(), observe.Key{}, &observe.Request{})
}

// openBeside opens the pool of the default company at the URL, beside a company that uses a
// connection. The default company may hold two of its connections.
func openBeside(t *testing.T, url string) *pgxpool.Pool {
	t.Helper()
	database := pgtest.URL(t)
	config := postgres.Config{URL: database, MaxConns: 4, Zone: "UTC", StatementTimeout: time.Second, LockTimeout: time.Second, Turns: new(postgres.Turns)}
	others, err := postgres.OpenCompanies(t.Context(), config, 100)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(others.Close)
	config.URL = url
	if url == "" {
		config.URL = database
	}
	pool, err := postgres.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	_, _ = pool.Exec(asRequest(t), "select 1")
	c := addSchemas(t, database, 1)[0]
	if err := checkWhose(others.DB(c, nil).QueryRow(asRequest(t), whose, 1), c); err != nil {
		t.Fatal(err)
	}
	return pool
}

// contract 14.41
func TestPoolOfTheDefaultCompanyIsLimitedBesideAnother(t *testing.T) {
	t.Parallel()
	pool := openBeside(t, "")
	acquire := func(ctx context.Context, within time.Duration) (*pgxpool.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		return pool.Acquire(ctx)
	}
	const long, short = 10 * time.Second, 200 * time.Millisecond
	var held []*pgxpool.Conn
	for range 2 {
		conn, err := acquire(asRequest(t), long)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	if _, err := acquire(asRequest(t), short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third connection: %v", err)
	}
	background, err := acquire(t.Context(), long)
	if err != nil {
		t.Errorf("work that is part of no request waits: %v", err)
	} else {
		background.Release()
	}
	held[0].Release()
	conn, err := acquire(asRequest(t), long)
	if err != nil {
		t.Fatalf("a connection after one was released: %v", err)
	}
	conn.Release()
	held[1].Release()
}

// contract 14.41
func TestPoolOfTheDefaultCompanyIsNotUsedUpByFailures(t *testing.T) {
	t.Parallel()
	pool := openBeside(t, "postgres://kontor@127.0.0.1:1/kontor")
	for range 6 {
		ctx, cancel := context.WithTimeout(asRequest(t), 2*time.Second)
		_, err := pool.Acquire(ctx)
		cancel()
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("connecting to a closed port: %v", err)
		}
	}
}
