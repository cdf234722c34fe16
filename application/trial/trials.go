package trial

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Trials runs trials in the background, as they may take longer than a request.
//
// Chose a record in the database over one in memory, so that any instance behind a load
// balancer can show and cancel a trial, and one that was interrupted is known. Costs a
// statement a second while a trial runs.
type Trials struct {
	runner *Runner
	store  repository.Trials
	slots  chan struct{}
	pulse  time.Duration // between two records of the progress

	ctx  context.Context //nolint:containedctx // of the trials, which outlive their requests
	stop context.CancelCauseFunc

	mu      sync.Mutex
	running map[ruledef.TrialID]context.CancelCauseFunc
	workers sync.WaitGroup
}

// Limits of background trials.
type Limits struct {
	Concurrent int           // trials of this process
	Pulse      time.Duration // between two records of the progress; much less than repository.TrialLife
}

// NewTrials makes the use cases. Stop ends the trials.
func NewTrials(r *Runner, store repository.Trials, l Limits) *Trials {
	ctx, stop := context.WithCancelCause(context.Background())
	return &Trials{
		runner: r, store: store, slots: make(chan struct{}, l.Concurrent), pulse: l.Pulse,
		ctx: ctx, stop: stop, running: map[ruledef.TrialID]context.CancelCauseFunc{},
	}
}

var (
	errBusy      = fault.New(fault.Unavailable, "too many trials are running; try again")
	errForbidden = fault.New(fault.Forbidden, "only an admin may try rules")
	errCancelled = errors.New("the trial was cancelled")
	errStopped   = errors.New("the service was stopped")
)

func mayTry(actor access.Actor) error {
	if actor.Role == user.Admin {
		return nil
	}
	return errForbidden
}

// Start starts a trial and waits for its end, at most that long. The trial goes on after that.
func (t *Trials) Start(ctx context.Context, actor access.Actor, c Candidate, wait time.Duration) (ruledef.Trial, error) {
	if err := mayTry(actor); err != nil {
		return ruledef.Trial{}, err
	}
	select {
	case t.slots <- struct{}{}:
	default:
		return ruledef.Trial{}, errBusy
	}
	record := ruledef.Trial{Rule: c.Rule, UserID: actor.UserID, State: ruledef.TrialRunning, StartedAt: t.runner.clock.Now()}
	id, err := t.store.Start(ctx, record)
	if err != nil {
		<-t.slots
		return record, err
	}
	record.ID = id
	ended := t.launch(record, c, actor)
	timeout := time.NewTimer(wait)
	defer timeout.Stop()
	select {
	case <-ended:
	case <-timeout.C:
	case <-ctx.Done():
	}
	return t.store.Read(ctx, id)
}

// launch runs the trial in the background.
func (t *Trials) launch(record ruledef.Trial, c Candidate, actor access.Actor) (ended <-chan struct{}) {
	ctx, cancel := context.WithCancelCause(t.ctx)
	t.mu.Lock()
	t.running[record.ID] = cancel
	t.mu.Unlock()
	done := make(chan struct{})
	t.workers.Go(func() {
		defer close(done)
		defer func() { <-t.slots }()
		defer cancel(nil)
		t.run(ctx, cancel, record, c, actor)
		t.mu.Lock()
		delete(t.running, record.ID)
		t.mu.Unlock()
	})
	return done
}

// run tries the rule, records the progress at each pulse, and then the end.
func (t *Trials) run(ctx context.Context, cancel context.CancelCauseFunc, record ruledef.Trial, c Candidate, actor access.Actor) {
	var mu sync.Mutex
	var sofar ruledef.Findings
	var pulse sync.WaitGroup
	beating, rest := context.WithCancel(ctx)
	pulse.Go(func() {
		ticker := time.NewTicker(t.pulse)
		defer ticker.Stop()
		for {
			select {
			case <-beating.Done():
				return
			case <-ticker.C:
			}
			mu.Lock()
			f := sofar
			mu.Unlock()
			if isRunning, err := t.store.Progress(beating, record.ID, f); err == nil && !isRunning {
				cancel(errCancelled)
			}
		}
	})
	found, err := t.runner.Run(ctx, c, actor, func(f ruledef.Findings) {
		mu.Lock()
		defer mu.Unlock()
		sofar = f
	})
	rest()
	pulse.Wait()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	record.Findings, record.EndedAt = found, t.runner.clock.Now()
	record.State, record.Error = endOf(err)
	_ = t.store.End(context.WithoutCancel(ctx), record) // without it, the trial counts as interrupted
}

// endOf is the state in which a trial ends with the error.
func endOf(err error) (ruledef.TrialState, string) {
	switch {
	case err == nil:
		return ruledef.TrialDone, ""
	case errors.Is(err, errCancelled):
		return ruledef.TrialCancelled, ""
	case errors.Is(err, errStopped):
		return ruledef.TrialFailed, errStopped.Error()
	}
	if f := fault.As(err); f != nil {
		return ruledef.TrialFailed, f.Message
	}
	return ruledef.TrialFailed, "an internal error"
}

// Read is the trial with the id, or a fault.NotFound.
func (t *Trials) Read(ctx context.Context, actor access.Actor, id ruledef.TrialID) (ruledef.Trial, error) {
	if err := mayTry(actor); err != nil {
		return ruledef.Trial{}, err
	}
	return t.store.Read(ctx, id)
}

// Cancel ends a trial, at once if it is one of this process, and at its next pulse otherwise.
// One that has ended stays as it is.
func (t *Trials) Cancel(ctx context.Context, actor access.Actor, id ruledef.TrialID) error {
	record, err := t.Read(ctx, actor, id)
	if err != nil || record.State != ruledef.TrialRunning {
		return err
	}
	record.State, record.EndedAt = ruledef.TrialCancelled, t.runner.clock.Now()
	if err := t.store.End(ctx, record); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if cancel, ok := t.running[id]; ok {
		cancel(errCancelled)
	}
	return nil
}

// Stop ends all trials of this process.
func (t *Trials) Stop() {
	t.stop(errStopped)
	t.workers.Wait()
}
