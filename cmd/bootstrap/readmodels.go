package bootstrap

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
)

// ReadModels are what lists are read from, for operators and the background. They
// have connections of their own: what takes long does not take those of requests.
type ReadModels struct {
	pool *pgxpool.Pool
}

// NewReadModels opens the connections, which the function closes.
func NewReadModels(ctx context.Context, c Config) (*ReadModels, func(), error) {
	c.MaxConnections = 2
	pool, closePool, err := newPool(ctx, c, unwatched())
	if err != nil {
		return nil, nil, err
	}
	return &ReadModels{pool: pool}, closePool, nil
}

// Verify lists where the models differ from the records.
func (r *ReadModels) Verify(ctx context.Context) ([]pgsummary.Difference, error) {
	return pgsummary.Verify(ctx, r.pool)
}

// Rebuild makes the models anew from the records.
func (r *ReadModels) Rebuild(ctx context.Context) error {
	return pgsummary.Rebuild(ctx, r.pool)
}

// KeepReadModels keeps the models in the background until the function is called,
// which returns when that has ended.
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
