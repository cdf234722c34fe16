package bootstrap

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgcount"
	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/ports"
)

// The pauses of the worker. It folds the changes of a company after foldPause at the earliest,
// and of n companies that write at the same time after n times foldShare: however many they
// are, folding takes about the same part of the database.
const (
	foldPause  = 500 * time.Millisecond
	foldShare  = 100 * time.Millisecond
	retryPause = 5 * time.Second
	purgePause = time.Hour
	sweepPause = time.Minute
	workLimit  = 10 * time.Second // of storing the last counts
)

// companyWorkers is how many companies are worked on at the same time.
const companyWorkers = 2

// companyWorker does the background work of all companies: it maintains their read models,
// deletes what has expired, and stores the counts of their rules. It works on companies that
// have written, which requests mark, and once on each that comes into use, for what a process
// that was killed has left. Companies that do not write cost nothing, and without any that do,
// it only waits.
type companyWorker struct {
	clock ports.Clock
	sweep func()

	ctx     context.Context //nolint:containedctx // of the goroutines, which it ends
	cancel  context.CancelFunc
	running sync.WaitGroup
	wake    chan struct{}

	mu     sync.Mutex
	marked map[*use]struct{}
	swept  time.Time
}

type use struct {
	worker  *companyWorker
	db      *pgxpool.Pool
	log     *slog.Logger
	counter *pgcount.Counter

	// Guarded by the worker's lock:
	due      time.Time
	isMarked bool // it has written since the last round began
	isBusy   bool // a round runs
	hasEnded bool

	// Of the round that runs:
	purged time.Time
	failed bool
}

func startCompanyWorker(clock ports.Clock, sweep func()) *companyWorker {
	w := &companyWorker{clock: clock, sweep: sweep, wake: make(chan struct{}, companyWorkers), marked: map[*use]struct{}{}, swept: time.Now()}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	for range companyWorkers {
		w.running.Go(w.run)
	}
	return w
}

// stop ends the rounds that run.
func (w *companyWorker) stop() {
	w.cancel()
	w.running.Wait()
}

func (w *companyWorker) use(pool *pgxpool.Pool, log *slog.Logger) *use {
	return &use{worker: w, db: pool, log: log}
}

// begin has the worker look for what is left to do.
func (u *use) begin(counter *pgcount.Counter) {
	u.counter = counter
	u.mark()
}

// mark has the worker work on the company, soon.
func (u *use) mark() {
	w := u.worker
	w.mu.Lock()
	defer w.mu.Unlock()
	if u.isMarked || u.hasEnded {
		return
	}
	u.isMarked = true
	if _, isKnown := w.marked[u]; isKnown {
		return
	}
	w.marked[u] = struct{}{}
	u.due = time.Now().Add(w.pause())
	w.wakeUp()
}

// pause returns how long a company that writes has to wait for its next round.
func (w *companyWorker) pause() time.Duration {
	return max(foldPause, time.Duration(len(w.marked))*foldShare)
}

func (w *companyWorker) wakeUp() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (u *use) end() {
	w := u.worker
	w.mu.Lock()
	u.hasEnded = true
	delete(w.marked, u)
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), workLimit)
	defer cancel()
	_ = u.counter.Flush(ctx) // of a company that was removed, there is nowhere to store them
}

func (w *companyWorker) run() {
	for w.ctx.Err() == nil {
		u, pause := w.next()
		if u != nil {
			u.work(w.ctx, pause)
			continue
		}
		timer := time.NewTimer(pause)
		select {
		case <-w.ctx.Done():
		case <-w.wake:
		case <-timer.C:
		}
		timer.Stop()
		w.sweepIdle()
	}
}

// next returns the company whose round is due, and the pause of its changes; else nil, and how
// long to wait.
func (w *companyWorker) next() (next *use, pause time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for u := range w.marked {
		if !u.isBusy && (next == nil || u.due.Before(next.due)) {
			next = u
		}
	}
	if next == nil {
		return nil, sweepPause
	}
	if wait := time.Until(next.due); wait > 0 {
		return nil, min(wait, sweepPause)
	}
	next.isBusy, next.isMarked = true, false
	return next, w.pause()
}

// sweepIdle forgets idle companies, once a minute.
func (w *companyWorker) sweepIdle() {
	w.mu.Lock()
	isDue := time.Since(w.swept) >= sweepPause
	if isDue {
		w.swept = time.Now()
	}
	w.mu.Unlock()
	if isDue {
		w.sweep()
	}
}

func (u *use) work(ctx context.Context, pause time.Duration) {
	pending, err := u.round(ctx, pause)
	u.report(ctx, err)
	w := u.worker
	w.mu.Lock()
	defer w.mu.Unlock()
	u.isBusy = false
	switch {
	case u.hasEnded, err == nil && !pending && !u.isMarked:
		delete(w.marked, u)
	case err != nil:
		u.due = time.Now().Add(retryPause)
	default:
		u.due = time.Now().Add(pause)
	}
}

func (u *use) round(ctx context.Context, pause time.Duration) (pending bool, err error) {
	if time.Since(u.purged) >= purgePause {
		if err := postgres.Purge(ctx, u.db, u.worker.clock.Now()); err != nil {
			return true, err
		}
		u.purged = time.Now()
	}
	if err := u.counter.Flush(ctx); err != nil {
		return true, err
	}
	return pgsummary.Maintain(ctx, u.db, u.log, pause)
}

// report logs a failure, once until a round succeeds.
func (u *use) report(ctx context.Context, err error) {
	if err != nil && !u.failed && ctx.Err() == nil {
		u.log.Warn("background work failed", "error", err.Error())
	}
	u.failed = err != nil
}
