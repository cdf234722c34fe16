package bootstrap

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
)

// ReadModels verifies and rebuilds the read models. It has a connection pool of its own,
// so that long statements do not take the connections of requests, and uses the database
// itself even if requests use a pooler.
type ReadModels struct {
	pool *pgxpool.Pool
}

// NewReadModels opens the pool. The returned function closes it.
func NewReadModels(ctx context.Context, c Config) (*ReadModels, func(), error) {
	c.MaxConnections = 2
	pool, closePool, err := newPool(ctx, c.withoutPooler(), unobserved())
	if err != nil {
		return nil, nil, err
	}
	return &ReadModels{pool: pool}, closePool, nil
}

// Verify lists the differences between the read models and the records.
func (r *ReadModels) Verify(ctx context.Context) ([]pgsummary.Difference, error) {
	return pgsummary.Verify(ctx, r.pool)
}

// Rebuild rebuilds the read models from the records.
func (r *ReadModels) Rebuild(ctx context.Context) error {
	return pgsummary.Rebuild(ctx, r.pool)
}
