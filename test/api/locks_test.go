package api_test

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// race sends the requests concurrently, in this order, while it holds the rows that
// lock selects: each request is sent when the one before waits for a lock or is
// finished. The responses are in the order of the requests. Each needs an instance of its own, because a
// caller's writes do not wait for locks all at once.
func (s *service) race(lock string, requests ...func() *reply) []*reply {
	s.t.Helper()
	pool, release := s.holdLock(lock)
	responses := make([]*reply, len(requests))
	done := make(chan struct{}, len(requests))
	for i, request := range requests {
		go func() {
			responses[i] = request()
			done <- struct{}{}
		}()
		for len(done)+pgtest.LockWaits(s.t, pool) < i+1 {
			time.Sleep(time.Millisecond)
		}
	}
	release()
	for range requests {
		<-done
	}
	return responses
}

// holdLock holds the locks of the statement until release is called.
func (s *service) holdLock(lock string) (pool *pgxpool.Pool, release func()) {
	s.t.Helper()
	pool = pgtest.Pool(s.t, s.database)
	tx, err := pool.Begin(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := tx.Exec(s.t.Context(), lock); err != nil {
		s.t.Fatal(err)
	}
	// A failed test must not wait for its own lock.
	s.t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return pool, func() {
		s.t.Helper()
		if err := tx.Rollback(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
}
