package bootstrap

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/postgres/pgtrial"
)

// newSnapshots opens the connection of a trial. It is to the database itself even if requests
// use a pooler: a trial keeps its connection for as long as it runs.
func newSnapshots(ctx context.Context, c Config) (*pgtrial.Snapshots, func(), error) {
	c.MaxConnections = 1
	pool, closePool, err := newPool(ctx, c.withoutPooler(), unwatched())
	if err != nil {
		return nil, nil, err
	}
	return pgtrial.NewSnapshots(pool), closePool, nil
}
