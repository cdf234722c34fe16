package bootstrap

import (
	"context"
	"log/slog"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres/pgtrial"
	"github.com/kontor-crm/kontor/application/trial"
	"github.com/kontor-crm/kontor/ports/repository"
)

// newSlots lets all companies together run one trial at a time, so that trials do not take the
// processors from requests.
func newSlots() trial.Slots { return make(trial.Slots, 1) }

func newTrials(r *trial.Runner, store repository.Trials, slots trial.Slots, log *slog.Logger) (trials *trial.Trials, stop func()) {
	trials = newCompanyTrials(r, store, slots, log)
	return trials, trials.Stop
}

// newCompanyTrials runs the trials of a company until they are stopped.
func newCompanyTrials(r *trial.Runner, store repository.Trials, slots trial.Slots, log *slog.Logger) *trial.Trials {
	limits := trial.Limits{Slots: slots, Wait: 2 * time.Second, Pulse: time.Second}
	return trial.NewTrials(r, store, limits, func(err error) { log.Error("the trial of a rule has failed", "error", err) })
}

// newSnapshots opens the connection of a trial, which keeps it for as long as it runs.
func newSnapshots(ctx context.Context, c Config) (*pgtrial.Snapshots, func(), error) {
	c.MaxConnections = 1
	pool, closePool, err := newPool(ctx, c, untraced())
	if err != nil {
		return nil, nil, err
	}
	return pgtrial.NewSnapshots(pool), closePool, nil
}
