package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 3.29
func TestDeadlockIsRetriedAndBothWritersSucceed(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	tx := pgstore.NewTx(pool, nil)
	o := fixture.Open(t, tx)
	firstLocks := make(chan struct{})
	var writers sync.WaitGroup
	for _, order := range [][]client.ID{{o.Client, o.OtherClient}, {o.OtherClient, o.Client}} {
		writers.Go(func() {
			runs := 0
			fixture.Do(t, tx, 0, func(ctx context.Context, st repository.Stores) error {
				runs++
				for i, id := range order {
					if err := describe(ctx, st, id, fixture.At.Add(time.Duration(order[0])*time.Hour)); err != nil {
						return err
					}
					if i == 0 && runs == 1 {
						meet(firstLocks)
					}
				}
				return nil
			})
		})
	}
	writers.Wait()
	for _, id := range []client.ID{o.Client, o.OtherClient} {
		fixture.Do(t, tx, 0, func(ctx context.Context, st repository.Stores) error {
			c, err := st.Clients.Lock(ctx, id)
			if err == nil && c.State().Version != 3 {
				t.Errorf("the client %d has the version %d, want 3 after two writers", id, c.State().Version)
			}
			return err
		})
	}
}

// meet returns when both writers have called it.
func meet(writers chan struct{}) {
	select {
	case writers <- struct{}{}:
	case <-writers:
	}
}

// openPool is the product's pool on a database of its own.
func openPool(t *testing.T, lockTimeout time.Duration) *postgres.DB {
	t.Helper()
	pool, err := postgres.Open(t.Context(), postgres.Config{
		URL: pgtest.URL(t), MaxConns: 8, StatementTimeout: 20 * time.Second, LockTimeout: lockTimeout, Zone: "UTC",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// expectUnavailable runs a unit of work that must fail with fault.Unavailable.
func expectUnavailable(t *testing.T, tx repository.Tx, fn func(ctx context.Context, s repository.Stores) error) {
	t.Helper()
	if err := tx.Do(t.Context(), repository.Meta{At: fixture.At}, fn); !fault.Is(err, fault.Unavailable) {
		t.Errorf("the unit of work returned %v, want %s", err, fault.Unavailable)
	}
}

// describe writes the time into a client.
func describe(ctx context.Context, st repository.Stores, id client.ID, at time.Time) error {
	c, err := st.Clients.Lock(ctx, id)
	if err == nil {
		err = c.Update(client.Attributes{Description: domain.Some(at.String())}, at)
	}
	if err == nil {
		err = st.Clients.Save(ctx, c)
	}
	return err
}

// contract 3.22
func TestLockTimeoutAsksToTryAgain(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 40*time.Millisecond)
	tx := pgstore.NewTx(pool, nil)
	o := fixture.Open(t, tx)
	fixture.Do(t, tx, 0, func(ctx context.Context, st repository.Stores) error {
		if _, err := st.Clients.Lock(ctx, o.Client); err != nil {
			return err
		}
		expectUnavailable(t, tx, func(ctx context.Context, st repository.Stores) error {
			_, err := st.Clients.Lock(ctx, o.Client)
			return err
		})
		return nil
	})
}

// verbs says what the statements of a round trip do.
func verbs(text string) string {
	if text == "commit" || text == "rollback" {
		return text
	}
	var all []string
	for _, of := range []struct{ text, verb string }{
		{"begin", "begin"}, {"from rule_set", "rules"}, {"insert into clients", "insert"}, {"update clients", "update"}, {"for no key update", "lock"}, {"from clients r", "read"},
		{"insert into client_changes", "derive"},
	} {
		if strings.Contains(text, of.text) {
			all = append(all, of.verb)
		}
	}
	return strings.Join(all, " ")
}

func TestTransactionHasFewRoundTrips(t *testing.T) {
	t.Parallel()
	var trips pgtest.RoundTrips
	config := postgres.Config{
		URL: pgtest.URL(t), MaxConns: 1, StatementTimeout: 20 * time.Second, LockTimeout: 5 * time.Second, Zone: "UTC", Spans: &trips,
	}
	pool, err := postgres.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	tx := pgstore.NewTx(pool, []pgstore.Projection{pgstore.ReadModels{}})
	o := fixture.Open(t, tx) // without a request, so nothing is recorded
	ctx := context.WithValue(t.Context(), ports.ObservationKey{}, new(ports.Observation))
	for name, fn := range map[string]func(ctx context.Context, st repository.Stores) error{
		"a unit of work that does nothing, begin rules, commit": func(context.Context, repository.Stores) error { return nil },
		"a creation, begin rules, insert, derive, commit": func(ctx context.Context, st repository.Stores) error {
			_, err := st.Clients.Add(ctx, fixture.Client(o.Manager, fixture.Company()))
			return err
		},
		"a creation whose record is read, begin rules, insert, read derive, commit": func(ctx context.Context, st repository.Stores) error {
			names := readmodel.NewSelection(readmodel.Clients, nil)
			id, err := st.Clients.Add(ctx, fixture.Client(o.Manager, fixture.Company()))
			if err == nil {
				_, err = st.View.Read(ctx, readmodel.Clients, int64(id), names)
			}
			return err
		},
		"a change whose record is read, begin rules, lock, update read, commit": func(ctx context.Context, st repository.Stores) error {
			c, err := st.Clients.Lock(ctx, o.Client)
			if err != nil {
				return err
			}
			if err := c.Update(client.Attributes{Description: domain.Some("Changed")}, fixture.At); err != nil {
				return err
			}
			if err := st.Clients.Save(ctx, c); err != nil {
				return err
			}
			_, err = st.View.Read(ctx, readmodel.Clients, int64(o.Client), readmodel.NewSelection(readmodel.Clients, nil))
			return err
		},
		"a rejected creation, begin rules, insert, rollback": func(ctx context.Context, st repository.Stores) error {
			_, err := st.Clients.Add(ctx, fixture.Client(4_000_000, fixture.Company()))
			return err
		},
	} {
		_, expected, _ := strings.Cut(name, ", ")
		trips.Sent = nil
		if err := tx.Do(ctx, repository.Meta{At: fixture.At}, fn); err != nil && !fault.Is(err, fault.Dangling) {
			t.Fatal(err)
		}
		var got []string
		for _, text := range trips.Sent {
			got = append(got, verbs(text))
		}
		if sent := strings.Join(got, ", "); sent != expected {
			t.Errorf("%s sends %q", name, sent)
		}
	}
}

func TestUnitOfWorkThatPanicsReleasesItsConnection(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	tx := pgstore.NewTx(pool, nil)
	o := fixture.Open(t, tx)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		fixture.Do(t, tx, 0, func(ctx context.Context, st repository.Stores) error {
			if _, err := st.Clients.Lock(ctx, o.Client); err != nil {
				return err
			}
			panic("a use case with a defect")
		})
	}()
	if n := pool.Pool().State().Acquired; n != 0 {
		t.Errorf("%d connections are still taken", n)
	}
	fixture.Do(t, tx, 0, func(ctx context.Context, st repository.Stores) error {
		_, err := st.Clients.Lock(ctx, o.Client)
		return err
	})
}

// contract 3.22
func TestUnreachableDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	pool, err := postgres.Open(t.Context(), postgres.Config{URL: "postgres://kontor@127.0.0.1:1/kontor", Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	tx := pgstore.NewTx(pool, nil)
	expectUnavailable(t, tx, func(context.Context, repository.Stores) error {
		t.Error("the unit of work ran without a database")
		return nil
	})
	if _, err := pgstore.NewGrants(pool).Find(t.Context(), "feed01"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("looking for a token: %v, want %s", err, fault.Unavailable)
	}
}
