package pgpurge

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/company"
)

// The times of a CompaniesWorker.
const (
	period       = 24 * time.Hour // of a round over all companies
	withoutPause = time.Hour      // until it looks again, when there were no companies
)

// CompaniesWorker purges each company other than the default one once a day, whether it is in use
// or not. Every instance may run one.
//
// Chose to spread the companies over the day, in an order that changes each time: there is at most
// one connection, for a moment, and instances that are restarted often reach all companies too.
// Costs that a record may outlive its end by a day if nobody uses the company.
type CompaniesWorker struct {
	catalogue company.Catalogue
	open      func(context.Context, company.Company) (db postgres.DB, closeDB func(), err error)
	clock     ports.Clock
	log       *slog.Logger
	period    time.Duration
	failed    bool // the last time
}

// NewCompaniesWorker returns a worker, which opens the database of each company when its turn
// comes. Run starts it.
func NewCompaniesWorker(catalogue company.Catalogue, open func(context.Context, company.Company) (postgres.DB, func(), error), clock ports.Clock, log *slog.Logger) *CompaniesWorker {
	return &CompaniesWorker{catalogue: catalogue, open: open, clock: clock, log: log, period: period}
}

// Run purges one company after the other until the context ends. A change of the catalogue begins
// another round. Of consecutive failures only the first is logged.
func (w *CompaniesWorker) Run(ctx context.Context) {
	for ctx.Err() == nil {
		listing, err := w.catalogue.List(ctx)
		w.report(ctx, "", err)
		all := listing.Companies
		if len(all) == 0 {
			wait(ctx, withoutPause)
			continue
		}
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] }) //nolint:gosec // no secret
		for _, c := range all {
			wait(ctx, w.period/time.Duration(len(all)))
			if version, err := w.catalogue.Version(ctx); err != nil || version != listing.Version {
				break // the company may be gone
			}
			if c.State == company.Active || c.State == company.Disabled {
				w.report(ctx, c.Code, w.purge(ctx, c))
			}
		}
	}
}

func (w *CompaniesWorker) purge(ctx context.Context, c company.Company) error {
	db, closeDB, err := w.open(ctx, c)
	if err != nil {
		return err
	}
	defer closeDB()
	_, err = Purge(ctx, db, w.clock.Now())
	return err
}

func (w *CompaniesWorker) report(ctx context.Context, of company.Code, err error) {
	if err != nil && !w.failed && ctx.Err() == nil {
		w.log.Warn("purge of companies failed", "company", string(of), "error", err.Error())
	}
	w.failed = err != nil
}

func wait(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}
