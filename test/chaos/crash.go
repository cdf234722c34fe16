package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Crashes is a number of kills under a number of writers.
type Crashes struct {
	ServiceKills, DatabaseKills int
	Writers                     int
	Seed                        uint64
	// WithoutKeys has writers repeat creations without an Idempotency-Key, which
	// duplicates some.
	WithoutKeys bool

	issues bool // the writers issue invoices
}

// The shortest and longest pause between two kills. Many writers need longer to resume.
const (
	shortestLoad    = 50 * time.Millisecond
	longestLoad     = 700 * time.Millisecond
	longestOfSeries = 3 * time.Second
)

// Run writes, kills and compares.
func (c Crashes) Run(ctx context.Context, s *Site) (Report, error) {
	r := Report{ServiceKills: c.ServiceKills, DatabaseKills: c.DatabaseKills}
	log, err := c.during(ctx, s, func() error { return c.kill(ctx, s, &r) })
	if log == nil {
		return r, err
	}
	err = errors.Join(err, compare(ctx, s, log, &r))
	return r, err
}

// during writes while the function runs, and until every write has its response.
// The log is nil if nothing was written.
func (c Crashes) during(ctx context.Context, s *Site, run func() error) (*WriteLog, error) {
	l, err := createReferences(ctx, s)
	if err == nil && c.issues {
		err = startSeries(ctx, s, l)
	}
	if err != nil {
		return nil, err
	}
	log := newWriteLog()
	writing, stop := context.WithCancel(ctx)
	defer stop()
	var writers sync.WaitGroup
	failed := make([]error, c.Writers)
	for n := range c.Writers {
		w := newWriter(s, log, fmt.Sprintf("w%d-%d", c.Seed, n), l, c.Seed+uint64(n))
		w.keys, w.others = !c.WithoutKeys, c.Writers
		if c.issues {
			w.step = w.issue
		}
		writers.Go(func() { failed[n] = w.run(writing) })
	}
	err = run()
	stop()
	writers.Wait()
	return log, errors.Join(err, errors.Join(failed...))
}

// compare compares the log with what is stored, and the read models with the
// records.
func compare(ctx context.Context, s *Site, b *WriteLog, r *Report) error {
	db, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	err = errors.Join(b.check(ctx, db, r), db.Close(ctx))
	if output, verr := s.Command(ctx, "readmodel verify"); verr != nil {
		r.Inconsistent = append(r.Inconsistent, "read models: "+output)
	}
	return err
}

// kill kills in random order at random moments.
func (c Crashes) kill(ctx context.Context, s *Site, r *Report) error {
	random := rand.New(rand.NewPCG(c.Seed, 99))
	longest := longestLoad
	if c.issues {
		longest = longestOfSeries
	}
	total := c.ServiceKills + c.DatabaseKills
	ofDatabase := map[int]bool{}
	for _, n := range random.Perm(total)[:c.DatabaseKills] {
		ofDatabase[n] = true
	}
	for n := range total {
		pause := shortestLoad + time.Duration(random.Int64N(int64(longest-shortestLoad)))
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		from := time.Now()
		if err := crash(ctx, s, ofDatabase[n]); err != nil {
			return fmt.Errorf("kill %d: %w", n, err)
		}
		r.LongestOutage = max(r.LongestOutage, time.Since(from).Seconds())
	}
	return nil
}

// crash kills one of the two and waits until the service is ready again.
func crash(ctx context.Context, s *Site, database bool) error { //nolint:revive // which of the two is all there is to say
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if database {
		return errors.Join(s.KillDatabase(ctx), s.awaitReady(ctx))
	}
	return errors.Join(s.KillService(), s.StartService(ctx))
}
