package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Crashes says how often what is killed under how many writers.
type Crashes struct {
	ServiceKills, DatabaseKills int
	Writers                     int
	Seed                        uint64
	// WithoutKeys has writers repeat creations without an Idempotency-Key: then some
	// are doubled.
	WithoutKeys bool
}

// The load runs for so long between two kills, at least and at most.
const (
	shortestLoad = 50 * time.Millisecond
	longestLoad  = 700 * time.Millisecond
)

// Run writes, kills and compares.
func (c Crashes) Run(ctx context.Context, s *Site) (Report, error) {
	r := Report{ServiceKills: c.ServiceKills, DatabaseKills: c.DatabaseKills}
	book, err := c.During(ctx, s, func() error { return c.kill(ctx, s, &r) })
	if book == nil {
		return r, err
	}
	err = errors.Join(err, Compare(ctx, s, book, &r))
	return r, err
}

// During writes for as long as what happens takes, and until all that was begun
// is answered. There is a book once anything may have been written.
func (c Crashes) During(ctx context.Context, s *Site, happens func() error) (*Book, error) {
	l, err := furnish(ctx, s)
	if err != nil {
		return nil, err
	}
	book := newBook()
	writing, stop := context.WithCancel(ctx)
	defer stop()
	var writers sync.WaitGroup
	refused := make([]error, c.Writers)
	for n := range c.Writers {
		w := newWriter(s, book, fmt.Sprintf("w%d-%d", c.Seed, n), l, c.Seed+uint64(n))
		w.keys = !c.WithoutKeys
		writers.Go(func() { refused[n] = w.run(writing) })
	}
	err = happens()
	stop()
	writers.Wait()
	return book, errors.Join(err, errors.Join(refused...))
}

// Compare holds the book against what is stored, and the read models against the
// records.
func Compare(ctx context.Context, s *Site, b *Book, r *Report) error {
	db, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	err = errors.Join(b.check(ctx, db, r), db.Close(ctx))
	if said, verr := s.Command(ctx, "readmodel verify"); verr != nil {
		r.Broken = append(r.Broken, "read models: "+said)
	}
	return err
}

// kill kills, in a random order, at random moments.
func (c Crashes) kill(ctx context.Context, s *Site, r *Report) error {
	chance := rand.New(rand.NewPCG(c.Seed, 99))
	total := c.ServiceKills + c.DatabaseKills
	ofDatabase := map[int]bool{}
	for _, n := range chance.Perm(total)[:c.DatabaseKills] {
		ofDatabase[n] = true
	}
	for n := range total {
		pause := shortestLoad + time.Duration(chance.Int64N(int64(longestLoad-shortestLoad)))
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

// crash kills one of them and waits until the service is ready again.
func crash(ctx context.Context, s *Site, database bool) error { //nolint:revive // which of the two is all there is to say
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if database {
		return errors.Join(s.KillDatabase(ctx), s.awaitReady(ctx))
	}
	return errors.Join(s.KillService(), s.StartService(ctx))
}
