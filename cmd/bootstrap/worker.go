package bootstrap

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/ports"
)

// The pauses of the worker. A tenant that writes has a round after foldPause at the earliest, and one of n
// such tenants after n times foldShare: however many they are, folding takes about the same part of the database.
const (
	foldPause  = 500 * time.Millisecond
	foldShare  = 100 * time.Millisecond
	retryPause = 5 * time.Second
	purgePause = time.Minute   // between two purges of a tenant
	purgeTime  = 3 * time.Hour // of a day in UTC, when all tenants are purged
)

// maxRounds is how many tenants are worked on at the same time.
const maxRounds = 4

// worker does the background work of all tenants: it maintains their read models and deletes expired records.
// A tenant is marked by its writes, and when it comes into use, for what a process that was killed has left.
// A tenant that is not marked costs nothing.
//
// Chose: the connections of the tenant's requests, except for the default one. Because: they are given in the order
// of arrival, so that background work waits for the requests before it and no longer, and a tenant needs one
// connection for a long time at most, for a rebuild. Costs: its requests have one fewer meanwhile.
type worker struct {
	clock  ports.Clock
	rounds *semaphore.Weighted

	ctx     context.Context //nolint:containedctx // of the goroutines, which it ends
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	active int // tenants that have marked work
}

func newWorker(clock ports.Clock) *worker {
	w := &worker{clock: clock, rounds: semaphore.NewWeighted(maxRounds)}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// repeat calls do at once, and then each time the pause is over.
func (w *worker) repeat(pause time.Duration, do func(ctx context.Context)) {
	w.running.Go(func() {
		for {
			do(w.ctx)
			if !sleep(w.ctx, pause) {
				return
			}
		}
	})
}

// daily calls do each day at that time in UTC, so that the instances do it at the same time.
func (w *worker) daily(at time.Duration, do func(ctx context.Context)) {
	w.running.Go(func() {
		for sleep(w.ctx, untilDaily(w.clock.Now(), at)) {
			do(w.ctx)
		}
	})
}

// untilDaily returns how long it is until that time of a day, more than 0.
func untilDaily(now time.Time, at time.Duration) time.Duration {
	const day = 24 * time.Hour
	return day - now.Add(-at).Sub(now.Add(-at).Truncate(day))
}

// sleep returns false if the context ends before.
func sleep(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// stop ends the rounds that run.
func (w *worker) stop() {
	w.mu.Lock()
	w.cancel()
	w.mu.Unlock()
	w.running.Wait()
}

// pause returns how long a tenant that writes has to wait for its next round.
func (w *worker) pause() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return max(foldPause, time.Duration(w.active)*foldShare)
}

// tenantJob is the background work of one tenant.
type tenantJob struct {
	worker *worker
	db     *postgres.DB
	log    *slog.Logger

	keepChanges time.Duration

	ctx context.Context //nolint:containedctx // of its rounds
	end context.CancelFunc

	// Guarded by the worker's lock:
	isMarked  bool
	isRunning bool

	// Of the round that runs:
	purged time.Time
	isDue  bool // the next purge, which a timer marks
	failed bool
}

func newTenantJob(all *Tenants, upkeep upkeepDB, log *slog.Logger) *tenantJob {
	j := &tenantJob{worker: all.worker, db: upkeep.DB, log: log, keepChanges: all.config.keepChanges()}
	j.ctx, j.end = context.WithCancel(all.worker.ctx)
	return j
}

// mark has the worker work on the tenant, soon.
func (j *tenantJob) mark() {
	w := j.worker
	w.mu.Lock()
	defer w.mu.Unlock()
	j.isMarked = true
	if !j.isRunning && j.ctx.Err() == nil {
		j.isRunning = true
		w.active++
		w.running.Go(j.run)
	}
}

// unmark reports whether the tenant was marked. If not, its run has ended.
func (j *tenantJob) unmark() bool {
	w := j.worker
	w.mu.Lock()
	defer w.mu.Unlock()
	if j.isMarked && j.ctx.Err() == nil {
		j.isMarked = false
		return true
	}
	j.isRunning = false
	w.active--
	return false
}

// run does rounds while the tenant is marked.
func (j *tenantJob) run() {
	w, pause := j.worker, j.worker.pause()
	for j.unmark() {
		if !sleep(j.ctx, pause) || w.rounds.Acquire(j.ctx, 1) != nil {
			continue // it has ended
		}
		pending, err := j.round(pause)
		w.rounds.Release(1)
		j.report(err)
		if pending || err != nil {
			j.mark()
		}
		if pause = w.pause(); err != nil {
			pause = retryPause
		}
	}
}

// round reports whether something is left for a later round.
func (j *tenantJob) round(pause time.Duration) (pending bool, err error) {
	pending, folded := pgsummary.Maintain(j.ctx, j.db, j.log, pause)
	return pending, errors.Join(folded, j.purge())
}

func (j *tenantJob) purge() error {
	if wait := purgePause - time.Since(j.purged); wait > 0 {
		if !j.isDue {
			j.isDue = true
			time.AfterFunc(wait, j.mark) // there may be no later write
		}
		return nil
	}
	if err := postgres.Purge(j.ctx, j.db, j.worker.clock.Now(), j.keepChanges); err != nil {
		return err
	}
	j.purged, j.isDue = time.Now(), false
	return nil
}

// report logs a failure, once until a round succeeds.
func (j *tenantJob) report(err error) {
	switch {
	case j.ctx.Err() != nil:
		return
	case err != nil && !j.failed:
		j.log.Warn("background work failed", "error", err.Error())
	case err == nil && j.failed:
		j.log.Info("background work has recovered")
	}
	j.failed = err != nil
}
