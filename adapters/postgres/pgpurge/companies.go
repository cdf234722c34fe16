package pgpurge

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/company"
)

// The times of a CompaniesWorker.
const (
	period         = 24 * time.Hour   // between two turns of a company
	longestRestart = 15 * time.Minute // that an instance may take without missing a turn
	longestPause   = time.Hour        // until the catalogue is looked at again
	retryPause     = time.Minute      // after the catalogue could not be read
)

// CompaniesWorker purges each company other than the default one once a day, whether it is in use
// or not. Every instance may run one.
//
// Chose a time of day for each company, given by its code: there is at most one connection, for a
// moment, the companies are spread over the day, and neither a restart nor a change of the catalogue
// delays any of them. Costs that all instances take the turn of a company at the same time, and that a
// record may outlive its end by a day if nobody uses the company.
type CompaniesWorker struct {
	catalogue company.Catalogue
	open      func(context.Context, company.Company) (db postgres.DB, closeDB func(), err error)
	clock     ports.Clock
	log       *slog.Logger
	period    time.Duration

	listing          company.Listing
	since            time.Time // the turns up to then were taken
	isUnread, failed bool      // the last time: the catalogue could not be read, a purge failed
}

// NewCompaniesWorker returns a worker, which opens the database of each company when its turn
// comes. Run starts it.
func NewCompaniesWorker(catalogue company.Catalogue, open func(context.Context, company.Company) (postgres.DB, func(), error), clock ports.Clock, log *slog.Logger) *CompaniesWorker {
	return &CompaniesWorker{catalogue: catalogue, open: open, clock: clock, log: log, period: period}
}

// Run purges one company after the other until the context ends. Of consecutive failures only the
// first is logged.
func (w *CompaniesWorker) Run(ctx context.Context) {
	w.since = w.clock.Now().Add(-longestRestart)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(w.step(ctx)):
		}
	}
}

// step purges the company whose turn is next, if it has come. It returns how long to wait after that.
// The catalogue is read before each purge: the company may be gone.
func (w *CompaniesWorker) step(ctx context.Context) (pause time.Duration) {
	err := w.refresh(ctx)
	w.report(ctx, &w.isUnread, err)
	if err != nil {
		return retryPause
	}
	now := w.clock.Now()
	next, turn := w.next()
	switch {
	case next.Code == "":
		w.since = now
		return longestPause
	case turn.After(now):
		w.since = now
		return min(turn.Sub(now), longestPause)
	}
	w.since = turn
	w.report(ctx, &w.failed, w.purge(ctx, next), "company", string(next.Code))
	return 0
}

// refresh reads the catalogue if it has changed.
func (w *CompaniesWorker) refresh(ctx context.Context) error {
	version, err := w.catalogue.Version(ctx)
	if err != nil || version == w.listing.Version {
		return err
	}
	listing, err := w.catalogue.List(ctx)
	if err == nil {
		w.listing = listing
	}
	return err
}

// next returns the company whose turn is next, without a code if there is none.
func (w *CompaniesWorker) next() (next company.Company, turn time.Time) {
	for _, c := range w.listing.Companies {
		if c.State != company.Active && c.State != company.Disabled {
			continue
		}
		if at := w.turn(c.Code); next.Code == "" || at.Before(turn) {
			next, turn = c, at
		}
	}
	return next, turn
}

// turn returns the next turn of a company.
func (w *CompaniesWorker) turn(of company.Code) time.Time {
	number, _ := strconv.ParseUint(string(of), 16, 32) // a code has no other form
	share := float64(number) / (1 << 32)
	at := w.since.Truncate(w.period).Add(time.Duration(share * float64(w.period)))
	if !at.After(w.since) {
		at = at.Add(w.period)
	}
	return at
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

// report logs an error unless the last attempt has failed too.
func (w *CompaniesWorker) report(ctx context.Context, hasFailed *bool, err error, attributes ...any) {
	if err != nil && !*hasFailed && ctx.Err() == nil {
		w.log.Warn("purge of companies failed", append(attributes, "error", err.Error())...)
	}
	*hasFailed = err != nil
}
