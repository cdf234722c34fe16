package pgsummary

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
)

// The worker pauses for busyPause while changes come, and up to idlePause while none
// do. After an error it pauses for errorPause. All workers of a database together open
// a batch once in a busyPause.
const (
	busyPause  = 500 * time.Millisecond
	idlePause  = 5 * time.Second
	errorPause = 5 * time.Second
)

// Worker maintains the read models in the background. Every instance may run one.
type Worker struct {
	db         *pgxpool.Pool
	log        *slog.Logger
	last       string        // the kind of the last error
	retryAfter time.Duration // the pause after an error
}

// NewWorker returns a worker. Run starts it.
func NewWorker(db *pgxpool.Pool, log *slog.Logger) *Worker {
	return &Worker{db: db, log: log, retryAfter: errorPause}
}

// Run maintains the read models until the context ends. It retries after errors; of
// consecutive errors of one kind only the first is logged.
func (w *Worker) Run(ctx context.Context) {
	for pause := busyPause; ; {
		pending, err := Maintain(ctx, w.db, w.log, busyPause)
		if ctx.Err() != nil {
			return
		}
		w.report(err)
		switch {
		case err != nil:
			pause = w.retryAfter
		case pending:
			pause = busyPause
		default:
			pause = min(max(2*pause, busyPause), idlePause)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// Maintain rebuilds the read models if they are not ready, and then folds. pending reports whether
// there is something left to fold later. It opens no batch while the newest one is younger than pause.
func Maintain(ctx context.Context, db *pgxpool.Pool, log *slog.Logger, pause time.Duration) (pending bool, err error) {
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

func (w *Worker) report(err error) {
	kind := kindOf(err)
	if kind != w.last && err != nil {
		w.log.Warn("read model worker failed", "error", err.Error())
	}
	if kind != w.last && err == nil {
		w.log.Info("read model worker recovered")
	}
	w.last = kind
}

// kindOf distinguishes errors by what an operator would do about them, not by their
// texts: by the SQLSTATE, or else by the type of the cause.
func kindOf(err error) string {
	if err == nil {
		return ""
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return fmt.Sprintf("%T", err)
}

// State is the state of the read models.
type State struct {
	IsReady     bool
	OpenBatches int64 // not folded yet
	OldestBatch int64 // the id of the first of them
}

// ReadState reads the state.
func ReadState(ctx context.Context, db *pgxpool.Pool) (s State, err error) {
	err = db.QueryRow(ctx, `
select is_ready, oldest_open_batch, (select count(*) from change_batches)
from read_model_state`).Scan(&s.IsReady, &s.OldestBatch, &s.OpenBatches)
	if err != nil {
		return s, fmt.Errorf("read the state of the read models: %w", postgres.Fault(err, postgres.Storing))
	}
	return s, nil
}
