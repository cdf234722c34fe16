package bootstrap

import (
	"context"
	"log/slog"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcompany"
	"github.com/kontor-crm/kontor/adapters/postgres/pgpurge"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/ports/company"
)

// OpenMaintenance returns a pool for the maintenance of the read models, so that long statements
// do not take the connections of requests. It is to the database itself even if requests use a
// pooler. The returned function closes it.
func OpenMaintenance(ctx context.Context, c Config) (*pgxpool.Pool, func(), error) {
	c.MaxConnections = 2
	return newPool(ctx, c.withoutPooler(), unobserved())
}

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
	workers.Go(func() { pgpurge.NewWorker(pool, newClock(c), log).Run(ctx) })
	workers.Go(func() {
		pgpurge.NewCompaniesWorker(pgcompany.NewCatalogue(pool), c.withoutPooler().openCompany, newClock(c), log).Run(ctx)
	})
	return func() {
		cancel()
		workers.Wait()
		closePool()
	}, nil
}

// openCompany opens the database of a company for a moment. The returned function closes it.
func (c Config) openCompany(ctx context.Context, of company.Company) (db postgres.DB, closeDB func(), err error) {
	single := c.pool(unobserved())
	single.MaxConns = 1
	pool, err := postgres.OpenCompanies(ctx, single, 0)
	if err != nil {
		return nil, nil, err
	}
	return pool.DB(of, nil), pool.Close, nil
}
