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

// Contention sends writes on the same rows, in different orders, at the same
// moment.
type Contention struct {
	Rounds int // of each scenario
	Seed   uint64
}

// ContentionReport is the result of a contention test.
type ContentionReport struct {
	Scenarios    int
	Statuses     map[int]int // number of responses by status
	Deadlocks    int64       // that PostgreSQL detected
	Failed       []string    // responses of 5xx, and requests without response
	Inconsistent string      // differences of the read models
}

// String lists the figures, one per line.
func (r ContentionReport) String() string {
	all := 0
	for _, n := range r.Statuses {
		all += n
	}
	return fmt.Sprintf("scenarios: %d\nconcurrent writes: %d\nof these successful: %d\ndeadlocks: %d\nresponses of 5xx: %d\n",
		r.Scenarios, all, r.Statuses[http.StatusOK], r.Deadlocks, len(r.Failed))
}

// Run runs each scenario Rounds times.
func (t Contention) Run(ctx context.Context, s *Site) (r ContentionReport, err error) {
	r.Statuses = map[int]int{}
	m, err := newCreator(ctx, s, t.Seed)
	if err != nil {
		return r, err
	}
	random := rand.New(rand.NewPCG(t.Seed, 5))
	for range t.Rounds {
		for _, what := range slices.Sorted(maps.Keys(scenarios)) {
			toSend, err := scenarios[what](ctx, m)
			if err != nil {
				return r, fmt.Errorf("%s: %w", what, err)
			}
			random.Shuffle(len(toSend), func(i, j int) { toSend[i], toSend[j] = toSend[j], toSend[i] })
			for i, got := range m.sendAll(ctx, toSend) {
				r.record(what, toSend[i], got)
			}
			r.Scenarios++
		}
	}
	if body, err := s.Command(ctx, "readmodel verify"); err != nil {
		r.Inconsistent = body
	}
	r.Deadlocks, err = s.deadlocks(ctx)
	return r, err
}

func newCreator(ctx context.Context, s *Site, seed uint64) (*creator, error) {
	l, err := createReferences(ctx, s)
	if err != nil {
		return nil, err
	}
	return &creator{writer: newWriter(s, newWriteLog(), fmt.Sprintf("contention-%d", seed), l, seed)}, nil
}

func (w *writer) write(ctx context.Context, a write) reply {
	got, err := w.send(ctx, a.method, a.path, "", a.record)
	return reply{got, err}
}

// sendAll sends the writes concurrently, in their order.
func (w *writer) sendAll(ctx context.Context, toSend []write) []reply {
	responses := make([]reply, len(toSend))
	var all sync.WaitGroup
	for i, a := range toSend {
		all.Go(func() { responses[i] = w.write(ctx, a) })
	}
	all.Wait()
	return responses
}

func (r *ContentionReport) record(scenario string, a write, got reply) {
	r.Statuses[got.Status]++
	if got.err != nil || got.Status >= http.StatusInternalServerError {
		r.Failed = append(r.Failed, fmt.Sprintf("%s: %s %s: %d %s, %v", scenario, a.method, a.path, got.Status, got.Body, got.err))
	}
}

// DeadlockTimeout is the deadlock_timeout that ForceDeadlock needs to know the
// victim.
const DeadlockTimeout = 100 * time.Millisecond

// ForceDeadlock causes one deadlock. An invoice gives its deal a client, blocks on
// a lock of a third connection, and would then reference the deal's status.
// Meanwhile the status is deleted, which waits for the deal. PostgreSQL aborts the
// one that waits last, the invoice: the other has checked for deadlocks before.
func ForceDeadlock(ctx context.Context, s *Site) (r ContentionReport, err error) {
	r.Statuses, r.Scenarios = map[int]int{}, 1
	m, err := newCreator(ctx, s, 1)
	if err != nil {
		return r, err
	}
	client, status := m.client(ctx), m.status(ctx)
	deal := m.add(ctx, "deal", fields{"name": "Deal", "status_id": status})
	contact := m.add(ctx, "contact", fields{"name": "Contact", "deal_id": deal})
	third, err := s.Connect(ctx)
	if err := errors.Join(m.err, err); err != nil {
		return r, err
	}
	defer third.Close(context.WithoutCancel(ctx)) // closing twice is harmless
	for _, sql := range []string{"begin", fmt.Sprintf("select from contacts where id = %d for update", contact)} {
		if _, err := third.Exec(ctx, sql); err != nil {
			return r, err
		}
	}
	toSend := []write{post("invoice", m.invoice(client, deal, m.references.Performer)), remove("status", status)}
	responses := make([]reply, len(toSend))
	var all sync.WaitGroup
	for i, a := range toSend {
		all.Go(func() { responses[i] = m.write(ctx, a) })
		err = errors.Join(err, s.awaitWaiting(ctx, i+1))
	}
	time.Sleep(3 * DeadlockTimeout)
	err = errors.Join(err, third.Close(ctx)) // releases the invoice
	all.Wait()
	for i, got := range responses {
		r.record("forced deadlock", toSend[i], got)
	}
	deadlocks, derr := s.deadlocks(ctx)
	r.Deadlocks = deadlocks
	return r, errors.Join(err, derr)
}

// awaitWaiting waits until n connections wait for a lock.
func (s *Site) awaitWaiting(ctx context.Context, n int) error {
	db, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx))
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var waiting int
		err := db.QueryRow(ctx, "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()").Scan(&waiting)
		if err != nil || waiting >= n {
			return err
		}
	}
	return fmt.Errorf("timed out waiting for %d blocked connections", n)
}

// deadlocks returns the number of deadlocks that PostgreSQL counted. Connections
// report theirs when they end, so the service is restarted.
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
    (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid())`).Scan(&n, &others)
	}
	return n, errors.Join(err, db.Close(ctx), s.StartService(ctx))
}
