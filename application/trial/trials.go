package trial

import (
	"context"
	"sync"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Trials runs trials in the background, because they may take longer than a request.
//
// Chose: a record in the database over one in memory. Because: any instance behind a load balancer
// can then show and cancel a trial, and interrupted trials can be recognized. Costs: a statement a
// second while a trial runs.
type Trials struct {
	runner *Runner
	store  repository.Trials
	limits Limits
	failed func(error)

	ctx  context.Context //nolint:containedctx // of the trials, which outlive their requests
	stop context.CancelCauseFunc

	mu      sync.Mutex
	running map[ruledef.TrialID]*job
	workers sync.WaitGroup
}

// Limits of background trials.
type Limits struct {
	Slots Slots
	Wait  time.Duration // of a request, until its trial can begin and then has ended
	Pulse time.Duration // between two records of the progress; much less than repository.TrialLife
}

// Slots limits the number of concurrent trials to its capacity.
type Slots chan struct{}

// NewTrials returns the use cases. failed receives internal errors. The caller has to call
// Stop.
func NewTrials(r *Runner, store repository.Trials, l Limits, failed func(error)) *Trials {
	ctx, stop := context.WithCancelCause(context.Background())
	return &Trials{
		runner: r, store: store, limits: l, failed: failed,
		ctx: ctx, stop: stop, running: map[ruledef.TrialID]*job{},
	}
}

// Version is the version of every trial, for command.Request.
const Version = 1

// endTimeout limits the last record of a trial.
const endTimeout = 5 * time.Second

var (
	errBusy    = fault.New(fault.Unavailable, "another trial is running; try again later")
	errRemoved = fault.New(fault.NotFound, "the trial was removed")
	errStopped = fault.New(fault.Unavailable, "the service was stopped")
)

// TryNew tries a rule that is not stored. The attributes are validated as for a creation.
func (t *Trials) TryNew(ctx context.Context, r command.Request, a ruledef.Attributes) (ruledef.Trial, error) {
	return t.try(ctx, r, func() (Candidate, error) { return t.runner.Unsaved(a) })
}

// TryStored tries a stored rule with the attributes applied, as by an update.
func (t *Trials) TryStored(ctx context.Context, r command.Request, id ruledef.ID, a ruledef.Attributes) (ruledef.Trial, error) {
	return t.try(ctx, r, func() (Candidate, error) { return t.runner.Changed(ctx, id, a) })
}

// try starts a trial and waits for its end, within the limit. The trial goes on after that,
// except for a dry run, which stores nothing.
func (t *Trials) try(ctx context.Context, r command.Request, candidate func() (Candidate, error)) (ruledef.Trial, error) {
	if err := r.Actor.MayWrite(access.Rules); err != nil {
		return ruledef.Trial{}, err
	}
	c, err := candidate()
	if err := fault.Join(r.CheckWrong(), err); err != nil {
		return ruledef.Trial{}, err
	}
	timeout := time.NewTimer(t.limits.Wait)
	defer timeout.Stop()
	if err := t.acquire(ctx, timeout.C); err != nil {
		return ruledef.Trial{}, err
	}
	j, err := t.begin(ctx, r, c)
	if err != nil {
		<-t.limits.Slots
		return ruledef.Trial{}, err
	}
	t.workers.Go(func() { t.run(j, c, r.Actor) })
	select {
	case <-j.ended:
	case <-timeout.C:
	case <-ctx.Done():
	}
	tried := j.trial()
	if r.DryRun {
		j.cancel(errRemoved)
		<-j.ended
	}
	return tried, nil
}

func (t *Trials) acquire(ctx context.Context, timeout <-chan time.Time) error {
	select {
	case t.limits.Slots <- struct{}{}:
		return nil
	default:
	}
	select {
	case t.limits.Slots <- struct{}{}:
		return nil
	case <-timeout:
		return errBusy
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Trials) begin(ctx context.Context, r command.Request, c Candidate) (j *job, err error) {
	record := ruledef.Trial{Rule: c.Rule, UserID: r.Actor.UserID, State: ruledef.TrialRunning, StartedAt: t.runner.clock.Now()}
	if !r.DryRun {
		if record.ID, err = t.store.Start(ctx, record); err != nil {
			return nil, err
		}
	}
	j = &job{record: record, ended: make(chan struct{})}
	j.ctx, j.cancel = context.WithCancelCause(t.ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !r.DryRun {
		t.running[record.ID] = j
	}
	return j, nil
}

func (t *Trials) run(j *job, c Candidate, actor access.Actor) {
	defer func() { <-t.limits.Slots }()
	defer close(j.ended)
	defer j.cancel(nil)
	stopReports := t.report(j)
	var found ruledef.Findings
	err := guarded(func() (err error) {
		found, err = t.runner.Run(j.ctx, c, actor, j.progress)
		return err
	})
	stopReports()
	if cause := context.Cause(j.ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil && fault.As(err) == nil {
		t.failed(err)
	}
	j.end(found, err, t.runner.clock.Now())
	t.mu.Lock()
	delete(t.running, j.record.ID)
	t.mu.Unlock()
	if j.record.ID == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(j.ctx), endTimeout)
	defer cancel()
	_ = t.store.End(ctx, j.trial()) // without it, the trial counts as interrupted
}

// report records the progress of a stored trial at each pulse, and cancels one that does not
// count as running any more.
func (t *Trials) report(j *job) (stop func()) {
	if j.record.ID == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(j.ctx)
	var reporter sync.WaitGroup
	reporter.Go(func() {
		pulse := time.NewTicker(t.limits.Pulse)
		defer pulse.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-pulse.C:
			}
			if isRunning, err := t.store.Progress(ctx, j.record.ID, j.trial().Findings); err == nil && !isRunning {
				j.cancel(errRemoved)
			}
		}
	})
	return func() {
		cancel()
		reporter.Wait()
	}
}

// Read returns the trial with the id, or a fault.NotFound. Every role may read it.
func (t *Trials) Read(ctx context.Context, id ruledef.TrialID) (ruledef.Trial, error) {
	return t.store.Read(ctx, id)
}

// Remove removes a trial. If it is running, it is cancelled: at once if it runs in this
// process, otherwise at its next progress report.
func (t *Trials) Remove(ctx context.Context, r command.Request, id ruledef.TrialID) error {
	if err := r.Actor.MayWrite(access.Rules); err != nil {
		return err
	}
	if _, err := t.store.Read(ctx, id); err != nil {
		return err
	}
	if err := r.CheckVersion(Version); err != nil || r.DryRun {
		return err
	}
	if err := t.store.Remove(ctx, id); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if j, ok := t.running[id]; ok {
		j.cancel(errRemoved)
	}
	return nil
}

// Stop cancels all trials of this process and waits for them.
func (t *Trials) Stop() {
	t.stop(errStopped)
	t.workers.Wait()
}

type job struct {
	ctx    context.Context //nolint:containedctx // of the trial
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when the end is stored

	mu     sync.Mutex
	record ruledef.Trial
}

func (j *job) trial() ruledef.Trial {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.record
}

func (j *job) progress(f ruledef.Findings) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.record.Findings = f
}

func (j *job) end(f ruledef.Findings, err error, at time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.record.Findings, j.record.EndedAt, j.record.State = f, at, ruledef.TrialDone
	if err == nil {
		return
	}
	j.record.State, j.record.Error = ruledef.TrialFailed, "an internal error"
	if f := fault.As(err); f != nil {
		j.record.Error = f.Message
	}
}
