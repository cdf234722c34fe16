package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgproxy"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/workload"
)

// addLast adds a client with which the unit of work ends, and reads it.
func addLast(c workload.Company) workload.Work {
	names := &readmodel.Selection{Paths: []string{"name"}, Type: -1}
	return func(ctx context.Context, s repository.Stores) error {
		s.View.Expect(readmodel.Clients, names)
		s.View.End()
		id, err := s.Clients.Add(ctx, fixture.Client(c.Office.Manager, fixture.Person()))
		if err == nil {
			_, err = s.View.Read(ctx, readmodel.Clients, int64(id), names)
		}
		return err
	}
}

// run is a unit of work that has ended: how often it ran, its error, and how many clients it has added.
type run struct {
	times int
	err   error
	added int64
}

// runLast runs the work.
func runLast(c workload.Company, work workload.Work) (r run) {
	const clients = "select count(*) from clients"
	before := c.Number(clients)
	r.err = c.Tx.Do(c.T.Context(), repository.Meta{At: fixture.At}, func(ctx context.Context, s repository.Stores) error {
		r.times++
		return work(ctx, s)
	})
	r.added = c.Number(clients) - before
	return r
}

// cutting cuts the connection at the first message that passes says, after it has forwarded a part of it.
func cutting(armed *atomic.Bool, passes func(sent []byte) (forwarded []byte, cuts bool)) *pgproxy.Intercept {
	i := pgproxy.Intercept(func(server, client net.Conn, sent []byte) bool {
		forwarded, cuts := passes(sent)
		if !cuts || !armed.CompareAndSwap(true, false) {
			return true
		}
		_, _ = server.Write(forwarded)
		_ = server.Close()
		_ = client.Close()
		return false
	})
	return &i
}

// contract 3.24, 3.29
func TestSingleRoundTripWhoseConnectionBreaksReportsUnknownOutcome(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "through the coordinator such a transaction has more than one round trip")
	all := func([]byte) ([]byte, bool) { return nil, true }
	half := func(sent []byte) ([]byte, bool) { return sent[:len(sent)/2], true }
	whole := func(sent []byte) ([]byte, bool) { return sent, true }
	confirmed := func(sent []byte) ([]byte, bool) { return nil, bytes.Contains(sent, []byte("COMMIT\x00")) }
	for name, of := range map[string]struct {
		fromClient, fromServer func([]byte) ([]byte, bool)
		added                  int64
	}{
		"before anything arrives":      {all, nil, 0},
		"in the middle":                {half, nil, 0},
		"before the confirmation":      {nil, confirmed, 1},
		"with the whole of it arrived": {whole, nil, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := workload.NewCompany(t)
			proxy := pgproxy.Open(t, direct.URL)
			c := workload.OpenCompany(t, proxy.URL)
			c.Office = direct.Office
			for range 2 { // so that the rules are known, and the statements are prepared
				do(c, addLast(c))
			}
			var armed atomic.Bool
			armed.Store(true)
			if of.fromClient != nil {
				proxy.FromClient.Store(cutting(&armed, of.fromClient))
			} else {
				proxy.FromServer.Store(cutting(&armed, of.fromServer))
			}
			c.Pool = direct.Pool // to count past the proxy
			got := runLast(c, addLast(c))
			if got.times != 1 || !fault.Is(got.err, fault.OutcomeUnknown) || armed.Load() {
				t.Errorf("it ran %d times and returned %v", got.times, got.err)
			}
			if of.added >= 0 && got.added != of.added || got.added > 1 {
				t.Errorf("%d clients were added, want %d", got.added, of.added)
			}
			if again := runLast(c, addLast(c)); again.err != nil || again.added < 1 {
				t.Errorf("the next one returned %v and added %d clients", again.err, again.added)
			}
			expectRecorded(direct, "at the end")
		})
	}
}

// An idle connection that the database has closed is noticed before anything is sent.
func TestSingleRoundTripIsNotTriedOnAClosedConnection(t *testing.T) {
	t.Parallel()
	direct := workload.NewCompany(t)
	c := workload.OpenCompany(t, direct.URL)
	c.Office = direct.Office
	do(c, addLast(c))
	c.Pool = direct.Pool
	for range 3 {
		if n := c.Number(`
select count(*)
from (
    select pg_terminate_backend(pid, 5000)
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
) ended`); n == 0 {
			t.Fatal("there was no connection")
		}
		time.Sleep(20 * time.Millisecond) // what the server has sent arrives
		if got := runLast(c, addLast(c)); got.err != nil || got.added != 1 {
			t.Errorf("it returned %v and added %d clients", got.err, got.added)
		}
	}
	expectRecorded(c, "at the end")
}

func TestSingleRoundTripUnderFormerRulesRunsAgain(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	do(c, addLast(c))
	c.Execute("update rule_set set version = version + 1000")
	if got := runLast(c, addLast(c)); got.times != 2 || got.err != nil || got.added != 1 {
		t.Errorf("it ran %d times, returned %v and added %d clients", got.times, got.err, got.added)
	}
}

// contract 3.24
func TestUnitOfWorkThatFailsAfterItsSingleRoundTripReportsUnknownOutcome(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "through the coordinator such a transaction has more than one round trip")
	c := workload.NewCompany(t)
	do(c, addLast(c))
	for name, fails := range map[string]workload.Work{
		"by itself": func(context.Context, repository.Stores) error { return errors.New("a use case with a defect") },
		"by another statement": func(ctx context.Context, s repository.Stores) error {
			_, err := s.Clients.Lock(ctx, c.Office.Client)
			return err
		},
		"by a change that is stored at the end": func(ctx context.Context, s repository.Stores) error {
			return s.Clients.Save(ctx, fixture.Client(c.Office.Manager, fixture.Person()))
		},
		"by another record": func(ctx context.Context, s repository.Stores) error {
			_, err := s.Clients.Add(ctx, fixture.Client(c.Office.Manager, fixture.Person()))
			return err
		},
	} {
		got := runLast(c, func(ctx context.Context, s repository.Stores) error {
			if err := addLast(c)(ctx, s); err != nil {
				return err
			}
			return fails(ctx, s)
		})
		if got.times != 1 || !fault.Is(got.err, fault.OutcomeUnknown) || got.added != 1 {
			t.Errorf("%s: it ran %d times, returned %v and added %d clients", name, got.times, got.err, got.added)
		}
	}
	expectRecorded(c, "at the end")
}

func TestSingleRoundTripThatIsRejectedStoresNothing(t *testing.T) {
	t.Parallel()
	c := workload.NewCompany(t)
	do(c, addLast(c))
	manager := c.Office.Manager
	c.Office.Manager = 4_000_000
	if got := runLast(c, addLast(c)); !fault.Is(got.err, fault.Dangling) || got.added != 0 {
		t.Errorf("for a user that does not exist: %v, and %d clients", got.err, got.added)
	}
	c.Office.Manager = manager
	c.Execute("delete from change_batches")
	if got := runLast(c, addLast(c)); !fault.Is(got.err, fault.Unavailable) || got.added != 0 {
		t.Errorf("without a batch: %v, and %d clients", got.err, got.added)
	}
}
