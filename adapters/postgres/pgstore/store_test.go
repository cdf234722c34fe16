package pgstore_test

import (
	"context"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// store is a store under test with an office, and the test.
type store struct {
	repository.Tx
	t      *testing.T
	pool   *postgres.DB
	grants repository.Grants
	office fixture.Office
}

// office is a database that has only an office.
var office = pgtest.NewFixture(func(t testing.TB, url string) fixture.Office {
	t.Helper()
	return fixture.Open(t, pgstore.NewTx(openPool(t, url), projected))
})

// projected are the projections of the program.
var projected = []pgstore.Projection{pgstore.DealHistory{}, pgstore.ReadModels{}, pgstore.ChangeLog{}}

// onStore runs a test on a database that has an office.
func onStore(t *testing.T, test func(s store)) {
	t.Helper()
	t.Parallel()
	url, opened := office.URL(t)
	s := storeOn(t, url)
	s.office = opened
	test(s)
}

func storeOn(t *testing.T, url string) store {
	t.Helper()
	pool := openPool(t, url)
	return store{Tx: pgstore.NewTx(pool, projected), t: t, pool: pool, grants: pgstore.NewGrants(pool)}
}

// run runs a part of the test on the same store.
func (s store) run(name string, test func(s store)) {
	s.t.Helper()
	s.t.Run(name, func(t *testing.T) {
		s.t = t
		test(s)
	})
}

// openPool is the product's pool on the database. Its zone is not UTC, so
// that an instant stored without its zone is noticed, and it uses no index, so that
// rows have no accidental order.
func openPool(t testing.TB, database string) *postgres.DB {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	for _, way := range []string{"indexscan", "indexonlyscan", "bitmapscan"} {
		query.Set("enable_"+way, "off")
	}
	address.RawQuery = query.Encode()
	pool, err := postgres.Open(t.Context(), postgres.Config{
		URL:              address.String(),
		MaxConns:         8,
		StatementTimeout: 20 * time.Second,
		LockTimeout:      10 * time.Second,
		Zone:             "America/St_Johns",
		Distributed:      pgtest.IsDistributed(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closePool(t, pool) })
	return pool
}

// closePool closes a pool to which all connections have been given back.
func closePool(t testing.TB, pool *postgres.DB) {
	t.Helper()
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Errorf("%d connections were not given back", pool.Pool().State().Acquired)
	}
}

// do runs a unit of work that must end well, by an operator.
func (s store) do(fn func(ctx context.Context, s repository.Stores) error) {
	s.t.Helper()
	s.doAs(0, fn)
}

// doAs is do by a user, whom the history names.
func (s store) doAs(by user.ID, fn func(ctx context.Context, s repository.Stores) error) {
	s.t.Helper()
	fixture.Do(s.t, s, by, fn)
}

// rejection runs a unit of work that must be rejected with that kind of fault.
func (s store) rejection(by user.ID, kind fault.Kind, fn func(ctx context.Context, s repository.Stores) error) *fault.Error {
	s.t.Helper()
	err := s.Do(s.t.Context(), repository.Meta{UserID: by, At: fixture.At}, fn)
	if !fault.Is(err, kind) {
		s.t.Fatalf("the unit of work ended with %v, want a rejection: %s", err, kind)
	}
	return fault.As(err)
}

// rejects is rejection without its result.
func (s store) rejects(by user.ID, kind fault.Kind, fn func(ctx context.Context, s repository.Stores) error) {
	s.t.Helper()
	_ = s.rejection(by, kind, fn)
}

func (s store) expect(want, got any) {
	s.t.Helper()
	if diff := cmp.Diff(want, got, alike); diff != "" {
		s.t.Errorf("-want +got\n%s", diff)
	}
}

// alike compares states without the ids of lines.
var alike = cmp.Options{
	cmp.Comparer(func(a, b contact.Link) bool { return a == b }),
	cmpopts.IgnoreFields(invoice.Line{}, "ID"),
	cmpopts.EquateEmpty(),
}
