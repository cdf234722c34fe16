package replicas_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgreplica"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/caller"
	"github.com/kontor-crm/kontor/ports/position"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/testserver"
)

// keepReading reads with the token until the function is called. No read may fail.
func keepReading(t *testing.T, i testserver.Service, token string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				r, err := replicas.Send(ctx, token, http.MethodGet, i.URL+"/rest/client?name=wind", nil)
				if ctx.Err() == nil && (err != nil || !r.IsOK()) {
					t.Errorf("a read failed: %d %s, %v", r.Status, r.Body, err)
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	return func() {
		cancel()
		readers.Wait()
	}
}

// contract 13.8, 13.11, 13.13
func TestReplicaIsLeftOutAndUsedAgain(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{replica}, func(c *bootstrap.Config) { c.ReadMaxLag = time.Second })
	token := testserver.Token(t, i.Service, "reader", user.Manager)
	must(t, token, http.MethodPost, i.URL+"/rest/client", client("Nordwind"))
	awaitUse(t, i, replica, 1)
	defer keepReading(t, i, token)()

	replica.Crash()
	awaitUse(t, i, replica, 0)
	replica.Start()
	awaitUse(t, i, replica, 1)

	thaw := replica.Freeze()
	awaitUse(t, i, replica, 0)
	thaw()
	awaitUse(t, i, replica, 1)

	resume := pause(replica)
	must(t, token, http.MethodPost, i.URL+"/rest/client", client("Südwind"))
	awaitUse(t, i, replica, 0)
	resume()
	awaitUse(t, i, replica, 1)

	replica.Promote()
	awaitUse(t, i, replica, 0)
	must(t, token, http.MethodPost, i.URL+"/rest/client", client("Westwind"))
}

// direct opens replicas without a service. isUsed reports whether the replica is.
func direct(t *testing.T, primary, replica *replicas.Server, maxLag time.Duration) (reads *pgreplica.Reads, isUsed func(context.Context) bool) {
	t.Helper()
	config := postgres.Config{URL: primary.URL(), Zone: "UTC", StatementTimeout: time.Minute, LockTimeout: time.Minute, MaxConns: 8}
	pool, err := postgres.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	all, err := pgreplica.Open(t.Context(), pgreplica.Config{
		URLs: []string{replica.URL()}, MaxLag: maxLag, Reads: config, Primary: config,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.Close)
	isUsed = func(context.Context) bool {
		states, _, _ := all.States()
		return states[0].IsUsed
	}
	replica.Await("the replica is used", isUsed)
	return all.Reads(pool), isUsed
}

// request is the context of a request with a token.
func request(t *testing.T, r *position.Request) context.Context {
	t.Helper()
	return context.WithValue(caller.With(t.Context(), caller.Key{Token: 7}), position.Key{}, r)
}

// read runs a statement with one column.
func read(ctx context.Context, from interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}, sql string) (isReplica bool, err error) {
	rows, err := from.Query(ctx, sql)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&isReplica); err != nil {
			return false, err
		}
	}
	return isReplica, rows.Err()
}

const (
	where = "select pg_is_in_recovery()"
	long  = "select pg_is_in_recovery() from settings, pg_sleep(60) s"
)

// contract 13.16
func TestReadFailsSoonIfPrimaryAnswersNothing(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	reads, _ := direct(t, primary, primary.NewReplica("one"), time.Minute)
	if isReplica, err := read(t.Context(), reads, where); err != nil || isReplica {
		t.Fatalf("without a token, a read goes to the replica, %v", err)
	}
	if isReplica, err := read(request(t, &position.Request{}), reads, where); err != nil || !isReplica {
		t.Fatalf("a read goes to the primary, %v", err)
	}
	defer primary.Freeze()()
	for range 3 { // beginning with the connections that are open
		ctx, cancel := context.WithTimeout(request(t, &position.Request{}), time.Minute)
		_, err := read(ctx, reads, where)
		if !fault.Is(err, fault.Unavailable) || ctx.Err() != nil {
			t.Errorf("%v, and the request %v", err, ctx.Err())
		}
		cancel()
	}
}

// contract 13.2, 13.13
func TestReadThatReplicaEndsIsRepeatedOnPrimary(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	replica.Set("max_standby_streaming_delay", "0")
	reads, _ := direct(t, primary, replica, time.Minute)
	for _, end := range []struct {
		by  string
		end func()
	}{
		{"a conflict", func() {
			primary.Exec("kontor", "begin; lock table settings in access exclusive mode; create table conflict (id int); drop table conflict; commit")
		}},
		{"a frozen server", func() { time.AfterFunc(2*time.Second, replica.Freeze()) }},
		{"a crash", replica.Crash},
	} {
		r := &position.Request{}
		ctx := request(t, r)
		replica.Await("the replica serves", func(context.Context) bool {
			r.Server = nil
			isReplica, err := read(ctx, reads, where)
			return err == nil && isReplica
		})
		failed := make(chan error)
		go func() {
			_, err := read(ctx, reads, long)
			failed <- err
		}()
		replica.Await("the statement runs", func(ctx context.Context) bool {
			return replica.Is(ctx, "select from pg_stat_activity where query like '%pg_sleep(60) s' and state = 'active'")
		})
		end.end()
		if err := <-failed; !errors.Is(err, position.ErrServerFailed) {
			t.Fatalf("%s: %v", end.by, err)
		} else if !r.Retreat(err) {
			t.Fatalf("%s: the request stays on the replica", end.by)
		}
		if isReplica, err := read(ctx, reads, where); err != nil || isReplica {
			t.Errorf("%s: the read is repeated on the replica, %v", end.by, err)
		}
	}
}

// contract 13.2
func TestSnapshotIsTakenOnServerOfItsRequest(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	reads, _ := direct(t, primary, replica, time.Minute)
	r := &position.Request{}
	for _, ctx := range []context.Context{request(t, r), t.Context()} {
		isReplica, err := read(ctx, reads, where)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := reads.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
		if err != nil {
			t.Fatal(err)
		}
		if inSnapshot, err := read(ctx, tx, where); err != nil || inSnapshot != isReplica {
			t.Errorf("the snapshot is of a replica: %t, the statement before: %t, %v", inSnapshot, isReplica, err)
		}
		if err := tx.Rollback(ctx); err != nil {
			t.Error(err)
		}
		if isReplica != (position.From(ctx) != nil) {
			t.Errorf("on the replica: %t", isReplica)
		}
	}
}
