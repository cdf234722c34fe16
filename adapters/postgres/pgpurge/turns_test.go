package pgpurge

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	ports "github.com/kontor-crm/kontor/ports/company"
)

// catalogue is one in memory, of companies that are opened without success.
type catalogue struct {
	mu      sync.Mutex
	listing ports.Listing
	err     error // of its methods
	opened  map[ports.Code][]time.Time
}

func (c *catalogue) Version(context.Context) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listing.Version, c.err
}

func (c *catalogue) List(context.Context) (ports.Listing, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return ports.Listing{Version: c.listing.Version, Companies: slices.Clone(c.listing.Companies)}, c.err
}

var errNotThere = errors.New("not there")

func (c *catalogue) open(_ context.Context, of ports.Company) (postgres.DB, func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened[of.Code] = append(c.opened[of.Code], time.Now())
	return nil, nil, errNotThere
}

// change gives the catalogue another version, and these companies.
func (c *catalogue) change(codes ...ports.Code) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listing = ports.Listing{Version: c.listing.Version + 1}
	for _, code := range codes {
		c.listing.Companies = append(c.listing.Companies, ports.Company{Code: code, State: ports.Active})
	}
}

func (c *catalogue) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// run runs a worker until stop is called.
func (c *catalogue) run(t *testing.T, at clock, log *strings.Builder) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	w := NewCompaniesWorker(c, c.open, at, slog.New(slog.NewTextHandler(log, nil)))
	go func() { defer close(ended); w.Run(ctx) }()
	return func() {
		cancel()
		<-ended
	}
}

// contract 14.43
func TestCompanyIsPurgedOnceADay(t *testing.T) {
	const days = 4
	for name, of := range map[string]struct {
		lifetime, downtime time.Duration // of an instance, between two
		changes            time.Duration // between two of the catalogue
		late               time.Duration // that a purge may be
		most               int           // purges of a company
	}{
		"in an instance that keeps running":    {lifetime: days * period, changes: days * period, most: days},
		"while the catalogue changes":          {lifetime: days * period, changes: 20 * time.Minute, most: days},
		"in an instance that is restarted":     {lifetime: 7 * time.Hour, downtime: 10 * time.Minute, changes: days * period, late: 10 * time.Minute, most: 2 * days},
		"in an instance that is restarted now": {lifetime: time.Minute, downtime: time.Second, changes: days * period, late: time.Second, most: 20 * days},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &catalogue{opened: map[ports.Code][]time.Time{}}
				var log strings.Builder
				codes := []ports.Code{"00000000", "0a000000", "0a000001", "7fffffff", "ffffffff"}
				begin := time.Now()
				var added time.Time
				var changing sync.WaitGroup
				changing.Go(func() { // there are no companies at first
					time.Sleep(30 * time.Minute)
					for added = time.Now(); time.Since(begin) < days*period; time.Sleep(of.changes) {
						c.change(codes...)
					}
				})
				for time.Since(begin) < days*period {
					stop := c.run(t, clock{begin}, &log)
					time.Sleep(of.lifetime)
					stop()
					time.Sleep(of.downtime)
				}
				end := time.Now()
				changing.Wait()
				for _, code := range codes {
					last := added
					for _, at := range append(slices.Clone(c.opened[code]), end) {
						if gap := at.Sub(last); gap > period+of.late {
							t.Errorf("%s was not purged for %s", code, gap)
						}
						last = at
					}
					if n := len(c.opened[code]); n > of.most {
						t.Errorf("%s was purged %d times", code, n)
					}
				}
			})
		})
	}
}

func TestCompanyThatWasRemovedMeanwhileIsNotPurged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &catalogue{opened: map[ports.Code][]time.Time{}}
		var log strings.Builder
		c.change("7fffffff", "8fffffff")
		stop := c.run(t, clock{time.Now()}, &log)
		synctest.Wait()
		c.change("7fffffff")
		time.Sleep(2 * period)
		stop()
		if len(c.opened["7fffffff"]) == 0 || len(c.opened["8fffffff"]) > 0 {
			t.Errorf("purged were %v", c.opened)
		}
	})
}

func TestCatalogueThatCannotBeReadIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &catalogue{opened: map[ports.Code][]time.Time{}}
		var log strings.Builder
		c.change("7fffffff")
		stop := c.run(t, clock{time.Now()}, &log)
		for range 2 {
			c.fail(errors.New("no catalogue"))
			time.Sleep(5 * longestPause)
			c.fail(nil)
			time.Sleep(2 * retryPause)
		}
		stop()
		if n := strings.Count(log.String(), `error="no catalogue"`); n != 2 || strings.Contains(log.String(), "company=\"\"") {
			t.Errorf("it was reported %d times:\n%s", n, &log)
		}
	})
}
