package bootstrap

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
)

// ReadModels verifies, rebuilds and maintains the read models. It has connections of
// its own, so that long operations do not use those of requests.
type ReadModels struct {
	pool *pgxpool.Pool
}

// NewReadModels opens the connections; the returned function closes them.
func NewReadModels(ctx context.Context, c Config) (*ReadModels, func(), error) {
	c.MaxConnections = 2
	pool, closePool, err := newPool(ctx, c, unwatched())
	if err != nil {
		return nil, nil, err
	}
	return &ReadModels{pool: pool}, closePool, nil
}

// Verify lists the differences between read models and records.
func (r *ReadModels) Verify(ctx context.Context) ([]pgsummary.Difference, error) {
	return pgsummary.Verify(ctx, r.pool)
}

// Rebuild rebuilds the read models from the records.
func (r *ReadModels) Rebuild(ctx context.Context) error {
	return pgsummary.Rebuild(ctx, r.pool)
}

// KeepReadModels maintains the read models in the background until stop is called,
// which waits for the end of that.
func KeepReadModels(ctx context.Context, c Config, log *slog.Logger) (stop func(), err error) {
	models, closePool, err := NewReadModels(ctx, c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pgsummary.NewKeeper(models.pool, log).Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
		closePool()
	}, nil
}
