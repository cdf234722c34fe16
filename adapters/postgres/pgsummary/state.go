package pgsummary

import (
	"context"
	"fmt"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// State is the state of the read models.
type State struct {
	ListsReady, SearchReady bool
	OpenBatches             int64 // not folded yet
	OldestBatch             int64 // the id of the first of them
}

// ReadState reads the state.
func ReadState(ctx context.Context, db postgres.DB) (s State, err error) {
	err = db.QueryRow(ctx, `
select lists_ready, search_ready, oldest_open_batch, (select count(*) from change_batches)
from read_model_state`).Scan(&s.ListsReady, &s.SearchReady, &s.OldestBatch, &s.OpenBatches)
	if err != nil {
		return s, fmt.Errorf("read the state of the read models: %w", postgres.Fault(err, postgres.Storing))
	}
	return s, nil
}
