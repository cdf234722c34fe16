package pgsummary

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// Maintain rebuilds the read models if they are not ready, and then folds. pending reports whether
// there is something left to fold later. It opens no batch while the newest one is younger than pause.
func Maintain(ctx context.Context, db *postgres.DB, log *slog.Logger, pause time.Duration) (pending bool, err error) {
	s, err := ReadState(ctx, db)
	if err != nil {
		return false, err
	}
	if !s.IsReady {
		started := time.Now()
		rebuilt, err := rebuildIfDue(ctx, db)
		if err != nil {
			return false, err
		}
		if rebuilt {
			log.Info("read models rebuilt", "took", time.Since(started).Round(time.Millisecond).String())
		}
	}
	for isUnfinished := true; isUnfinished && err == nil && ctx.Err() == nil; {
		pending, isUnfinished, err = fold(ctx, db, pause)
	}
	return pending, err
}

// State is the state of the read models.
type State struct {
	IsReady     bool
	OpenBatches int64 // not folded yet
	OldestBatch int64 // the id of the first of them
}

// ReadState reads the state.
func ReadState(ctx context.Context, db *postgres.DB) (s State, err error) {
	err = db.QueryRow(ctx, `
select is_ready, oldest_open_batch, (select count(*) from change_batches)
from read_model_state`).Scan(&s.IsReady, &s.OldestBatch, &s.OpenBatches)
	if err != nil {
		return s, fmt.Errorf("read the state of the read models: %w", postgres.Fault(err, postgres.Storing))
	}
	return s, nil
}
