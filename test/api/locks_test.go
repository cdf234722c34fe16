package api_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// rush sends the requests at the same moment, in this order: the rows that lock
// selects are kept until each request has come as far as it can. The answers
// are in the order of the requests.
func (s *service) rush(lock string, requests ...func() *reply) []*reply {
	s.t.Helper()
	pool, release := s.hold(lock)
	answers := make([]*reply, len(requests))
	done := make(chan struct{}, len(requests))
	for i, request := range requests {
		go func() {
			answers[i] = request()
			done <- struct{}{}
		}()
		for len(done)+waiting(s.t, pool) < i+1 {
			time.Sleep(time.Millisecond)
		}
	}
	release()
	for range requests {
		<-done
	}
	return answers
}

// waiting is how many connections wait for a lock in the database of the pool.
func waiting(t testing.TB, pool *pgxpool.Pool) (n int) {
	t.Helper()
	err := pool.QueryRow(t.Context(), `
select count(*)
from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock'`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// hold keeps what the statement locks until the function it returns is called.
func (s *service) hold(lock string) (pool *pgxpool.Pool, release func()) {
	s.t.Helper()
	pool = pgtest.Pool(s.t, s.database)
	tx, err := pool.Begin(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := tx.Exec(s.t.Context(), lock); err != nil {
		s.t.Fatal(err)
	}
	// A test that fails before it releases must not wait for itself.
	s.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return pool, func() {
		s.t.Helper()
		if err := tx.Rollback(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
}
