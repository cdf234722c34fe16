package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

// Trials keeps the records of trials of rules. Each method is a unit of work of its own.
type Trials interface {
	// Start stores a trial that runs.
	Start(ctx context.Context, t ruledef.Trial) (ruledef.TrialID, error)
	// Progress stores what a running trial has found so far; isRunning is false if it has been
	// removed, or counts as interrupted.
	Progress(ctx context.Context, id ruledef.TrialID, f ruledef.Findings) (isRunning bool, err error)
	// End stores the end of a trial that runs; of any other it does nothing.
	End(ctx context.Context, t ruledef.Trial) error
	// Read is the trial. One that its instance has not reported on for TrialLife has failed.
	// A fault.NotFound if there is none.
	Read(ctx context.Context, id ruledef.TrialID) (ruledef.Trial, error)
	// Remove removes a trial. A fault.NotFound if there is none.
	Remove(ctx context.Context, id ruledef.TrialID) error
}

// TrialLife is how long a trial counts as running after it was last heard of, and TrialKept how
// long it can be read after its start.
const (
	TrialLife = 30 * time.Second
	TrialKept = 7 * 24 * time.Hour
)

// TrialInterrupted is the error of a trial that has failed because its instance has ended.
const TrialInterrupted = "the service that ran the trial has stopped"
