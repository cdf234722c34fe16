package pgpurge

import (
	"context"
	"log/slog"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports"
)

const pause = time.Minute

// Worker purges in the background. Every instance may run one.
type Worker struct {
	db     postgres.DB
	clock  ports.Clock
	log    *slog.Logger
	failed bool // in the last round
}

// NewWorker returns a worker. Run starts it.
func NewWorker(db postgres.DB, clock ports.Clock, log *slog.Logger) *Worker {
	return &Worker{db: db, clock: clock, log: log}
}

// Run purges at once and then every minute until the context ends. Of consecutive
// failures only the first is logged.
func (w *Worker) Run(ctx context.Context) {
	for {
		purged, err := Purge(ctx, w.db, w.clock.Now())
		if ctx.Err() != nil {
			return
		}
		w.report(purged, err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func (w *Worker) report(purged int64, err error) {
	switch {
	case err != nil && !w.failed:
		w.log.Warn("purge failed", "error", err.Error())
	case err == nil && purged > 0:
		w.log.Info("expired records purged", "records", purged)
	}
	w.failed = err != nil
}
