package traffic

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// checkEvery is the time from the beginning of one check to that of the next.
	checkEvery = time.Second
	// resultLasts is how long a result is returned without waiting for the next. Being
	// shorter than checkEvery, it never makes a probe each second see a result twice.
	resultLasts = 900 * time.Millisecond
	// checkTimeout is the timeout of a check. A probe waits for the next check and its end,
	// which together take less than the second that load balancers usually allow.
	checkTimeout = 700 * time.Millisecond
	// probesEnd is how long after the last probe the checks end: longer than between two
	// probes of a load balancer, which may begin a second after the other ended.
	probesEnd = 2 * checkEvery
)

// Readiness answers readiness probes. It runs its check at most once a second, independent
// of the number of probes, and only while there are probes.
//
// Chose: checks in the background while probes arrive over a check at each probe. Because: a
// hanging database is then noticed before the next probe instead of making each wait for the
// timeout. Costs: two more checks after the last probe.
type Readiness struct {
	check    func(context.Context) error
	shutdown *Shutdown
	log      *slog.Logger

	mu     sync.Mutex
	last   result
	next   *pending // nil: nobody checks
	probed time.Time
}

// result has the outcome of a check, and when the check began.
type result struct {
	err   error
	begun time.Time
}

// pending is a check that has not ended yet.
type pending struct {
	ended chan struct{} // closed when err is set
	err   error
}

func (p *pending) end(err error) {
	p.err = err
	close(p.ended)
}

// NewReadiness returns a Readiness with the check, which must obey its context. The check
// returns nil while requests can be served, and otherwise the reason, which is logged when
// it changes.
func NewReadiness(check func(context.Context) error, shutdown *Shutdown, log *slog.Logger) *Readiness {
	return &Readiness{check: check, shutdown: shutdown, log: log}
}

// Err returns nil if requests could be served less than a second ago, and the service is not
// stopping.
func (r *Readiness) Err(ctx context.Context) error {
	if r.shutdown.HasBegun() {
		return ErrShutdown
	}
	last, next := r.probe()
	if time.Since(last.begun) < resultLasts {
		return last.err
	}
	select {
	case <-next.ended:
		return next.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// probe returns the last result and the next check, and begins to check if nobody does.
func (r *Readiness) probe() (result, *pending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.probed = time.Now()
	if r.next == nil {
		r.next = &pending{ended: make(chan struct{})}
		go r.run()
	}
	return r.last, r.next
}

// run checks each second while there are probes.
func (r *Readiness) run() {
	for r.begin() {
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
		err := r.check(ctx)
		cancel()
		r.end(result{err: err, begun: begun})
		time.Sleep(time.Until(begun.Add(checkEvery)))
	}
}

// begin returns false if there are no more probes.
func (r *Readiness) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.probed) < probesEnd {
		return true
	}
	r.next.end(r.last.err)
	r.next = nil
	return false
}

// end logs a change, and publishes the result. A service counts as ready before the first.
func (r *Readiness) end(now result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch was := r.last.err; {
	case r.shutdown.HasBegun(): // and the database is being closed
	case now.err != nil && was == nil:
		r.log.Warn("not ready", "error", now.err)
	case now.err == nil && was != nil:
		r.log.Info("ready again")
	}
	r.last = now
	r.next.end(now.err)
	r.next = &pending{ended: make(chan struct{})}
}
