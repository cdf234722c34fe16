package pgsummary

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

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

// Worker maintains the read models in the background: it folds changes, and at the same time
// rebuilds read models that are not ready. Every instance may run one.
type Worker struct {
	db         postgres.DB
	log        *slog.Logger
	last       string        // the kind of the last error
	retryAfter time.Duration // the pause after an error
	rebuilt    chan error    // the result of the rebuild that runs; nil: none does
}

// NewWorker returns a worker. Run starts it.
func NewWorker(db postgres.DB, log *slog.Logger) *Worker {
	return &Worker{db: db, log: log, retryAfter: errorPause}
}

// Run maintains the read models until the context ends. It retries after errors; of
// consecutive errors of one kind only the first is logged.
func (w *Worker) Run(ctx context.Context) {
	defer w.endRebuild()
	for pause := busyPause; ; {
		r, err := w.round(ctx)
		if ctx.Err() != nil {
			return
		}
		w.report(err)
		pause = w.nextPause(pause, r, err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// endRebuild waits for the rebuild that runs, if one does; its context has ended.
func (w *Worker) endRebuild() {
	if w.rebuilt != nil {
		<-w.rebuilt //nolint:errcheck // what it was cancelled in
	}
}

func (w *Worker) nextPause(pause time.Duration, r round, err error) time.Duration {
	switch {
	case err != nil:
		return w.retryAfter
	case r.more:
		return 0
	case r.pending:
		return busyPause
	}
	return min(max(2*pause, busyPause), idlePause)
}

func (w *Worker) round(ctx context.Context) (round, error) {
	if err := w.startRebuild(ctx); err != nil {
		return round{}, err
	}
	return w.fold(ctx, busyPause)
}

func (w *Worker) fold(ctx context.Context, pause time.Duration) (round, error) {
	r, err := fold(ctx, w.db, pause)
	if err == nil && r.pending && !r.early {
		err = cleanPendingLists(ctx, w.db, r.changed)
	}
	return r, err
}

// Maintain runs one round of a worker, for a company without a worker of its own: it
// rebuilds what is not ready, and then folds. pending reports whether there is something
// left to fold later. It opens no batch while the newest one is younger than pause.
func Maintain(ctx context.Context, db postgres.DB, log *slog.Logger, pause time.Duration) (pending bool, err error) {
	w := NewWorker(db, log)
	s, err := ReadState(ctx, db)
	if err != nil {
		return false, err
	}
	if err := w.rebuild(ctx, s); err != nil {
		return false, err
	}
	r, err := w.fold(ctx, pause)
	return r.pending, err
}

// startRebuild starts to rebuild what is not ready, and returns the error of a rebuild that
// has ended.
func (w *Worker) startRebuild(ctx context.Context) error {
	if w.rebuilt != nil {
		select {
		case err := <-w.rebuilt:
			w.rebuilt = nil
			if err != nil {
				return err
			}
		default:
			return nil
		}
	}
	s, err := ReadState(ctx, w.db)
	if err != nil || s.ListsReady && s.SearchReady {
		return err
	}
	w.rebuilt = make(chan error, 1)
	go func(ended chan<- error) { ended <- w.rebuild(ctx, s) }(w.rebuilt)
	return nil
}

func (w *Worker) rebuild(ctx context.Context, s State) error {
	if !s.ListsReady {
		if err := w.timed(listsKind, func() error { return rebuildLists(ctx, w.db, tryRebuildLock) }); err != nil {
			return err
		}
	}
	if !s.SearchReady {
		return w.timed(searchKind, func() error { return rebuildSearch(ctx, w.db, tryRebuildLock) })
	}
	return nil
}

// timed logs how long the rebuild took, unless there was nothing to do.
func (w *Worker) timed(model string, rebuild func() error) error {
	started := time.Now()
	err := rebuild()
	if errors.Is(err, errNotLocked) {
		return nil
	}
	if err == nil {
		w.log.Info("read models rebuilt", "model", model, "took", time.Since(started).Round(time.Millisecond).String())
	}
	return err
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
