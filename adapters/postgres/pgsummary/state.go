package pgsummary

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// State is how far the models are.
type State struct {
	ListsReady, SearchReady bool
	OpenBatches             int64 // that are not added up
	OldestBatch             int64 // the id of the first of them
}

// Look asks for the state.
func Look(ctx context.Context, pool *pgxpool.Pool) (s State, err error) {
	err = pool.QueryRow(ctx, `
select lists_ready, search_ready, oldest_open_batch, (select count(*) from change_batches)
from read_model_state`).Scan(&s.ListsReady, &s.SearchReady, &s.OldestBatch, &s.OpenBatches)
	if err != nil {
		return s, fmt.Errorf("ask how far the read models are: %w", postgres.Fault(err, postgres.Storing))
	}
	return s, nil
}
