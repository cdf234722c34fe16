// Package memstore keeps aggregates in memory, so that use cases are tested in
// milliseconds and without a database. It implements ports/repository;
// test/storetest checks it and PostgreSQL against the same suite.
//
// It is stricter than the interfaces require. Every unit of work runs twice, and the
// first run is discarded, so that a use case that depends on running once fails. Saving or removing a record that the unit has not locked, and
// locking records in another order than that of ports/repository, are errors that
// no use case expects.
//
// Chose: one mutex, and a copy of everything that replaces the stored data when a
// unit of work succeeds. Because: a rollback then needs no code, and two writers can
// only wait for each other. Costs: a copy for each run, which is negligible in a
// test.
package memstore

import (
	"context"
	"fmt"
	"sync"

	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Store is all aggregates, and the grants of the tokens among them.
type Store struct {
	mu   sync.Mutex
	data data
	// sequences are the ids given last, by kind. Like those of the database they do
	// not go back with a rollback.
	sequences map[string]int64
}

var (
	_ repository.Tx     = (*Store)(nil)
	_ repository.Grants = (*Store)(nil)
)

// New makes an empty store.
func New() *Store {
	return &Store{
		data: data{
			history:         map[int64]repository.DealHistoryEntry{},
			idempotencyKeys: map[repository.IdempotencyKey]claimed{},
		},
		sequences: map[string]int64{},
	}
}

// Do implements repository.Tx. It runs fn twice and keeps what the second
// run did.
func (s *Store) Do(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.run(ctx, meta, fn); err != nil || meta.DryRun {
		return err
	}
	next, err := s.run(ctx, meta, fn)
	if err != nil {
		return err
	}
	s.data = next
	return nil
}

// run is what there would be after fn.
func (s *Store) run(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) (data, error) {
	u := &unit{data: s.data, sequences: s.sequences}
	if meta.DryRun {
		u.sequences, u.first = map[string]int64{}, readmodel.FirstPlaceholder
	}
	if err := fn(ctx, u.stores()); err != nil {
		return data{}, err
	}
	u.project(meta)
	for _, check := range u.checks {
		if err := check(); err != nil {
			return data{}, err
		}
	}
	return u.data, ctx.Err()
}

// unit is one running unit of work.
type unit struct {
	data
	sequences map[string]int64
	first     int64 // before all ids of new records
	changes   repository.Changes
	checks    []func() error // of references, for the end
	last      place          // of the lock taken last
	reaction  string         // that makes the changes; empty: none
}

// next is the next id of the kind.
func (u *unit) next(kind string) int64 {
	u.sequences[kind]++
	return u.first + u.sequences[kind]
}

// place is the position of a record in the order of locks.
type place struct {
	rank int
	id   int64
}

// queue rejects a lock that another unit of work could be waiting behind.
func (u *unit) queue(name string, next place) error {
	if next.rank == anywhere || u.reaction != "" { // reactions lock in the order of what they follow
		return nil
	}
	if next.rank < u.last.rank || next.rank == u.last.rank && next.id < u.last.id {
		return fmt.Errorf("%s %d is locked out of order: ports/repository says in which", name, next.id)
	}
	u.last = next
	return nil
}
