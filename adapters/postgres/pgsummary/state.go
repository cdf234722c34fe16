package pgsummary

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// writersLevel is the level from which on programs write what the models need: the
// number of the migration that brought them, 00009_read_models. A model that comes
// later has a level of its own.
const writersLevel = 9

// State is how far the models are.
type State struct {
	ListsReady, SearchReady bool
	OpenBatches             int64 // that are not added up
	OldestBatch             int64 // the id of the first of them
}

// Look asks for the state.
func Look(ctx context.Context, pool *pgxpool.Pool) (s State, err error) {
	err = pool.QueryRow(ctx, `
select lists_ready and lists_whole, search_ready and search_whole, first_open, (select count(*) from change_batches)
from readmodels`).Scan(&s.ListsReady, &s.SearchReady, &s.OldestBatch, &s.OpenBatches)
	if err != nil {
		return s, fmt.Errorf("ask how far the read models are: %w", postgres.Fault(err, postgres.Storing))
	}
	return s, nil
}
