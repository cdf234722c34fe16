package bootstrap

import (
	"context"

	"github.com/kontor-crm/kontor/adapters/postgres/pgtrial"
)

// maxTrials is how many trials of rules a process runs at the same time, each with a
// connection of its own.
const maxTrials = 2

// newSnapshots opens the connections of trials. They are to the database itself even if
// requests use a pooler: a trial keeps its connection for as long as it runs.
func newSnapshots(ctx context.Context, c Config) (*pgtrial.Snapshots, func(), error) {
	c.MaxConnections = maxTrials
	pool, closePool, err := newPool(ctx, c.withoutPooler(), unwatched())
	if err != nil {
		return nil, nil, err
	}
	return pgtrial.NewSnapshots(pool), closePool, nil
}
