package bootstrap

import (
	"context"
	"log/slog"
	"sync"

	"github.com/kontor-crm/kontor/adapters/postgres/pgpurge"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
)

// StartWorkers starts the background workers: one maintains the read models, one deletes
// expired records. stop stops them and waits for their end.
func StartWorkers(ctx context.Context, c Config, log *slog.Logger) (stop func(), err error) {
	models, closePool, err := NewReadModels(ctx, c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	workers.Go(func() { pgsummary.NewWorker(models.pool, log).Run(ctx) })
	workers.Go(func() { pgpurge.NewWorker(models.pool, newClock(c), log).Run(ctx) })
	return func() {
		cancel()
		workers.Wait()
		closePool()
	}, nil
}
