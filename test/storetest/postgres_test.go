package storetest_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// contract 3.29
func TestDeadlockIsRetriedAndBothWritersSucceed(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	s := store{Tx: pgstore.NewTx(pool, nil), t: t}
	o := fixture.Open(t, s)
	both := make(meeting)
	var writers sync.WaitGroup
	for _, order := range [][]client.ID{{o.Client, o.OtherClient}, {o.OtherClient, o.Client}} {
		writers.Go(func() {
			runs := 0
			s.do(func(ctx context.Context, st repository.Stores) error {
				runs++
				for i, id := range order {
					if err := describe(ctx, st, id, fixture.At.Add(time.Duration(order[0])*time.Hour)); err != nil {
						return err
					}
					if i == 0 && runs == 1 {
						both.meet()
					}
				}
				return nil
			})
		})
	}
	writers.Wait()
	for _, id := range []client.ID{o.Client, o.OtherClient} {
		s.do(func(ctx context.Context, st repository.Stores) error {
			c, err := st.Clients.Lock(ctx, id)
			if err == nil && c.State().Version != 3 {
				t.Errorf("the client %d has the version %d, want 3 after two writers", id, c.State().Version)
			}
			return err
		})
	}
}

// describe writes the time into a client.
func describe(ctx context.Context, st repository.Stores, id client.ID, at time.Time) error {
	c, err := st.Clients.Lock(ctx, id)
	if err == nil {
		err = c.Update(client.Attributes{Description: optional.Some(at.String())}, at)
	}
	if err == nil {
		err = st.Clients.Save(ctx, c)
	}
	return err
}

// contract 3.22
func TestLockTimeoutAsksToTryAgain(t *testing.T) {
	t.Parallel()
	pool := openPool(t, patience)
	s := store{Tx: pgstore.NewTx(pool, nil), t: t}
	o := fixture.Open(t, s)
	s.do(func(ctx context.Context, st repository.Stores) error {
		if _, err := st.Clients.Lock(ctx, o.Client); err != nil {
			return err
		}
		s.refuses(0, fault.Unavailable, func(ctx context.Context, st repository.Stores) error {
			return second(st.Clients.Lock(ctx, o.Client))
		})
		return nil
	})
}

func TestUnitOfWorkThatPanicsReleasesItsConnection(t *testing.T) {
	t.Parallel()
	pool := openPool(t, 5*time.Second)
	s := store{Tx: pgstore.NewTx(pool, nil), t: t}
	o := fixture.Open(t, s)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		s.do(func(ctx context.Context, st repository.Stores) error {
			if _, err := st.Clients.Lock(ctx, o.Client); err != nil {
				return err
			}
			panic("a use case with a defect")
		})
	}()
	if n := pool.Stat().AcquiredConns(); n != 0 {
		t.Errorf("%d connections are still taken", n)
	}
	s.do(func(ctx context.Context, st repository.Stores) error { return second(st.Clients.Lock(ctx, o.Client)) })
}

// contract 3.22
func TestUnreachableDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	pool, err := postgres.Open(t.Context(), postgres.Config{URL: "postgres://kontor@127.0.0.1:1/kontor", Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s := store{Tx: pgstore.NewTx(pool, nil), t: t}
	s.refuses(0, fault.Unavailable, func(context.Context, repository.Stores) error {
		t.Error("the unit of work ran without a database")
		return nil
	})
	if _, err := pgstore.NewGrants(pool).Find(t.Context(), "feed01"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("looking for a token: %v, want %s", err, fault.Unavailable)
	}
}
