package pgtenant

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// Workers is the number of companies that one process migrates at the same time.
const Workers = 4

// Migrated is the outcome of a migration of all companies.
type Migrated struct {
	All    int // that had to be migrated
	Done   int
	Failed []Failure // by name
}

// Failure is a company that could not be migrated.
type Failure struct {
	Name string
	Err  error
}

// MigrateUp applies all pending migrations to each company. If one fails, it is reported,
// and the others are migrated. Several processes may share the work; after an interruption,
// the next call continues it. show is called after each company; calls do not overlap.
//
// A company is not served until its schema has all migrations. The catalogue records that
// afterwards.
func (s *Store) MigrateUp(ctx context.Context, workers int, show func(Migrated)) (Migrated, error) {
	return s.migrateAll(ctx, workers, show, upwards)
}

var upwards = migration{
	isDue: func(c tenant.Tenant) bool { return c.Migration < postgres.Version },
	run: func(ctx context.Context, h *held, url string) error {
		if err := postgres.MigrateUp(ctx, url); err != nil {
			return err
		}
		return h.saveMigration(ctx, postgres.Version)
	},
}

// MigrateDownTo rolls back the migrations of each company above that number, and is like
// MigrateUp otherwise.
func (s *Store) MigrateDownTo(ctx context.Context, number int64, workers int, show func(Migrated)) (Migrated, error) {
	return s.migrateAll(ctx, workers, show, migration{
		// A rollback that was interrupted has stored the number already.
		isDue: func(c tenant.Tenant) bool { return c.Migration >= number },
		run: func(ctx context.Context, h *held, url string) error {
			if err := h.saveMigration(ctx, number); err != nil {
				return err
			}
			return postgres.MigrateDownTo(ctx, url, number)
		},
	})
}

type migration struct {
	isDue func(tenant.Tenant) bool
	run   func(ctx context.Context, h *held, url string) error
}

// migrateAll runs the migration of all companies that are due. Those that another process
// is working on come last.
func (s *Store) migrateAll(ctx context.Context, workers int, show func(Migrated), m migration) (Migrated, error) {
	listing, err := s.List(ctx)
	if err != nil {
		return Migrated{}, err
	}
	pending := slices.DeleteFunc(listing.Tenants, func(c tenant.Tenant) bool {
		return c.State == tenant.Adding || c.State == tenant.Removing || !m.isDue(c)
	})
	r := &round{total: Migrated{All: len(pending)}, show: show}
	busy := s.each(ctx, r, workers, pending, func(ctx context.Context, c tenant.Tenant) error {
		return s.locked(ctx, c.Code, tryLock, func(h *held) error { return h.migrate(ctx, m) })
	})
	s.each(ctx, r, workers, busy, func(ctx context.Context, c tenant.Tenant) error {
		return s.locked(ctx, c.Code, awaitLock, func(h *held) error { return h.migrate(ctx, m) })
	})
	slices.SortFunc(r.total.Failed, func(a, b Failure) int { return cmp.Compare(a.Name, b.Name) })
	return r.total, ctx.Err()
}

type round struct {
	mu    sync.Mutex
	total Migrated
	show  func(Migrated)
}

func (r *round) end(c tenant.Tenant, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.total.Done++
	} else {
		r.total.Failed = append(r.total.Failed, Failure{c.Name, err})
	}
	r.show(r.total)
}

// each runs work for the companies, several at once, and returns those that another process
// holds.
func (s *Store) each(
	ctx context.Context, r *round, workers int, list []tenant.Tenant, work func(context.Context, tenant.Tenant) error,
) (busy []tenant.Tenant) {
	var mu sync.Mutex
	var group sync.WaitGroup
	queue := make(chan tenant.Tenant)
	for range workers {
		group.Go(func() {
			for c := range queue {
				err := work(ctx, c)
				if errors.Is(err, tenant.ErrBusy) {
					mu.Lock()
					busy = append(busy, c)
					mu.Unlock()
					continue
				}
				r.end(c, err)
			}
		})
	}
	for _, c := range list {
		if ctx.Err() != nil {
			break
		}
		queue <- c
	}
	close(queue)
	group.Wait()
	return busy
}

// migrate runs the migration unless another process has, or the company is gone.
func (h *held) migrate(ctx context.Context, m migration) error {
	err := h.read(ctx)
	if errors.Is(err, tenant.ErrUnknown) || err == nil && (h.row.State == tenant.Removing || !m.isDue(h.row)) {
		return nil
	}
	if err != nil {
		return err
	}
	url, err := postgres.InTenant(h.store.url, h.row.Code)
	if err != nil {
		return err
	}
	return m.run(ctx, h, url)
}

func (h *held) saveMigration(ctx context.Context, number int64) error {
	if h.row.Migration == number {
		return nil
	}
	c := h.row
	c.Migration = number
	return h.Save(ctx, c)
}
