package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/company"
)

// OpenMaintenance returns a pool for the maintenance of the read models, so that long statements
// do not take the connections of requests. The returned function closes it.
func OpenMaintenance(ctx context.Context, c Config) (*pgxpool.Pool, func(), error) {
	c.MaxConnections = 2
	return newPool(ctx, c, untraced())
}

// How often expired records are deleted. Companies in use are purged more often than daily.
const (
	purgeEvery          = time.Minute
	purgeCompaniesEvery = 24 * time.Hour
)

// StartWorkers starts the background workers: one maintains the read models, one deletes
// expired records, and one those of the other companies. stop stops them and waits for their end.
func StartWorkers(ctx context.Context, c Config, log *slog.Logger) (stop func(), err error) {
	pool, closePool, err := OpenMaintenance(ctx, c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	workers.Go(func() { pgsummary.NewWorker(pool, log).Run(ctx) })
	clock, catalogue := newClock(c), pgcompany.NewCatalogue(pool)
	workers.Go(func() {
		repeat(ctx, purgeEvery, log, func() error { return postgres.Purge(ctx, pool, clock.Now()) })
	})
	workers.Go(func() {
		repeat(ctx, purgeCompaniesEvery, log, func() error { return purgeCompanies(ctx, c, catalogue, clock) })
	})
	return func() {
		cancel()
		workers.Wait()
		closePool()
	}, nil
}

// repeat purges at once, and then each time the pause is over, until the context ends. Of consecutive failures only the
// first is logged.
func repeat(ctx context.Context, pause time.Duration, log *slog.Logger, purge func() error) {
	for failed := false; ; {
		err := purge()
		if ctx.Err() != nil {
			return
		}
		if err != nil && !failed {
			log.Warn("expired records are not purged", "error", err.Error())
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// purgeCompanies deletes the expired records of each company, whether it is in use or not, on one connection.
func purgeCompanies(ctx context.Context, c Config, catalogue company.Catalogue, clock ports.Clock) error {
	listing, err := catalogue.List(ctx)
	if err != nil {
		return err
	}
	var failures []error
	for _, tenant := range listing.Companies {
		if tenant.State != company.Active && tenant.State != company.Disabled {
			continue
		}
		db, closeDB, err := c.openCompany(ctx, tenant)
		if err == nil {
			err = postgres.Purge(ctx, db, clock.Now())
			closeDB()
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("company %s: %w", tenant.Code, err))
		}
	}
	return errors.Join(failures...)
}

// openCompany opens the database of a company for a moment. The returned function closes it.
func (c Config) openCompany(ctx context.Context, of company.Company) (db *pgxpool.Pool, closeDB func(), err error) {
	c.Company, c.TimeZone = of, of.TimeZone
	single := c.pool(untraced())
	single.MaxConns, single.Company, single.Node = 1, of.Code, of.Node
	pool, err := postgres.Open(ctx, single)
	if err != nil {
		return nil, nil, err
	}
	return pool, pool.Close, nil
}
