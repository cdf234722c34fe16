package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/ruledef"
)

// Trials stores the records of trials. Each method is a unit of work of its own.
type Trials interface {
	// Start stores a running trial and returns its id.
	Start(ctx context.Context, t ruledef.Trial) (ruledef.TrialID, error)
	// Progress stores the findings of a running trial so far; isRunning is false if it has been
	// removed or counts as interrupted.
	Progress(ctx context.Context, id ruledef.TrialID, f ruledef.Findings) (isRunning bool, err error)
	// End stores the end of a running trial; it does nothing for any other.
	End(ctx context.Context, t ruledef.Trial) error
	// Read returns the trial, or a fault.NotFound. A running trial without progress for
	// TrialLife is returned as failed.
	Read(ctx context.Context, id ruledef.TrialID) (ruledef.Trial, error)
	// Remove removes a trial; fault.NotFound if there is none.
	Remove(ctx context.Context, id ruledef.TrialID) error
}

// TrialLife is the time after its last progress for which a trial counts as running. TrialKept
// is the retention of a trial after its start.
const (
	TrialLife = 30 * time.Second
	TrialKept = 7 * 24 * time.Hour
)

// TrialInterrupted is the error of a trial that failed because its instance ended.
const TrialInterrupted = "the service that ran the trial has stopped"
