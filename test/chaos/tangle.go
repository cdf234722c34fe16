package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Tangle has writers take the same rows, in different orders, at the same moment.
type Tangle struct {
	Rounds int // of every knot
	Seed   uint64
}

// Tangled is what became of it.
type Tangled struct {
	Knots     int
	Answers   map[int]int // how often each status
	Deadlocks int64       // that the database saw
	Failed    []string    // answers of 5xx, and writes without one
	Broken    string      // what is wrong with the read models then
}

// String is the figures, one in a line.
func (r Tangled) String() string {
	all := 0
	for _, n := range r.Answers {
		all += n
	}
	return fmt.Sprintf("knots: %d\nwrites that met: %d\nof these done: %d\ndeadlocks: %d\nanswers of 5xx: %d\n",
		r.Knots, all, r.Answers[http.StatusOK], r.Deadlocks, len(r.Failed))
}

// Run ties every knot so many times.
func (t Tangle) Run(ctx context.Context, s *Site) (r Tangled, err error) {
	r.Answers = map[int]int{}
	m, err := newMaker(ctx, s, t.Seed)
	if err != nil {
		return r, err
	}
	chance := rand.New(rand.NewPCG(t.Seed, 5))
	for range t.Rounds {
		for _, what := range slices.Sorted(maps.Keys(knots)) {
			asks, err := knots[what](ctx, m)
			if err != nil {
				return r, fmt.Errorf("%s: %w", what, err)
			}
			chance.Shuffle(len(asks), func(i, j int) { asks[i], asks[j] = asks[j], asks[i] })
			for i, got := range m.atOnce(ctx, asks) {
				r.note(what, asks[i], got)
			}
			r.Knots++
		}
	}
	if said, err := s.Command(ctx, "readmodel verify"); err != nil {
		r.Broken = said
	}
	r.Deadlocks, err = s.deadlocks(ctx)
	return r, err
}

func newMaker(ctx context.Context, s *Site, seed uint64) (*maker, error) {
	l, err := furnish(ctx, s)
	if err != nil {
		return nil, err
	}
	return &maker{writer: newWriter(s, newBook(), fmt.Sprintf("knot-%d", seed), l, seed)}, nil
}

// answer is what a write was told.
type answer struct {
	status int
	said   []byte
	err    error
}

func (w *writer) ask(ctx context.Context, a ask) (got answer) {
	got.status, got.said, got.err = w.send(ctx, a.method, a.path, "", a.record)
	return got
}

// atOnce sends the writes together, in the order in which they stand.
func (w *writer) atOnce(ctx context.Context, asks []ask) []answer {
	answers := make([]answer, len(asks))
	var all sync.WaitGroup
	for i, a := range asks {
		all.Go(func() { answers[i] = w.ask(ctx, a) })
	}
	all.Wait()
	return answers
}

func (r *Tangled) note(what string, a ask, got answer) {
	r.Answers[got.status]++
	if got.err != nil || got.status >= http.StatusInternalServerError {
		r.Failed = append(r.Failed, fmt.Sprintf("%s: %s %s: %d %s, %v", what, a.method, a.path, got.status, got.said, got.err))
	}
}

// Looked is how soon PostgreSQL looks for a deadlock where TieForSure is to know
// who loses.
const Looked = 100 * time.Millisecond

// TieForSure makes one deadlock. An invoice gives its deal a client, is kept from
// going on by a third party, and would then name the deal's status. Meanwhile the
// status is to go, which waits for the deal. Who waits last finds the circle: the
// invoice, since the other has looked before, in vain.
func TieForSure(ctx context.Context, s *Site) (r Tangled, err error) {
	r.Answers, r.Knots = map[int]int{}, 1
	m, err := newMaker(ctx, s, 1)
	if err != nil {
		return r, err
	}
	client, status := m.client(ctx), m.status(ctx)
	deal := m.make(ctx, "deal", fields{"name": "Deal", "status_id": status})
	contact := m.make(ctx, "contact", fields{"name": "Contact", "deal_id": deal})
	third, err := s.Connect(ctx)
	if err := errors.Join(m.err, err); err != nil {
		return r, err
	}
	defer third.Close(context.WithoutCancel(ctx)) // once more is no harm
	for _, sql := range []string{"begin", fmt.Sprintf("select from contacts where id = %d for update", contact)} {
		if _, err := third.Exec(ctx, sql); err != nil {
			return r, err
		}
	}
	asks := []ask{add("invoice", m.bill(client, deal, m.lists.Performer)), remove("status", status)}
	answers := make([]answer, len(asks))
	var all sync.WaitGroup
	for i, a := range asks {
		all.Go(func() { answers[i] = m.ask(ctx, a) })
		err = errors.Join(err, s.awaitWaiting(ctx, i+1))
	}
	time.Sleep(3 * Looked)
	err = errors.Join(err, third.Close(ctx)) // and so lets the invoice go on
	all.Wait()
	for i, got := range answers {
		r.note("a deadlock for sure", asks[i], got)
	}
	deadlocks, derr := s.deadlocks(ctx)
	r.Deadlocks = deadlocks
	return r, errors.Join(err, derr)
}

// awaitWaiting waits until so many connections wait for a lock.
func (s *Site) awaitWaiting(ctx context.Context, n int) error {
	db, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var waiting int
		err := db.QueryRow(ctx, "select count(*) from pg_stat_activity where wait_event_type = 'Lock'").Scan(&waiting)
		if err != nil || waiting >= n {
			return err
		}
	}
	return fmt.Errorf("no %d connections wait", n)
}

// deadlocks is how many the database has seen. Connections tell it so when they
// end, so the service is started anew.
func (s *Site) deadlocks(ctx context.Context) (n int64, err error) {
	if err := s.KillService(); err != nil {
		return 0, err
	}
	db, err := s.Connect(ctx)
	if err != nil {
		return 0, err
	}
	for others, end := 1, time.Now().Add(10*time.Second); others > 0 && err == nil && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		err = db.QueryRow(ctx, `
select
    (select deadlocks from pg_stat_database where datname = current_database()),
    (select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid())`).Scan(&n, &others)
	}
	return n, errors.Join(err, db.Close(ctx), s.StartService(ctx))
}
