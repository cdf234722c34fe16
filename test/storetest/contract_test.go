package storetest_test

import (
	"context"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/memstore"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// store is a store under test, and the test.
type store struct {
	repository.Tx
	t       *testing.T
	grants  repository.Grants
	history func(id deal.ID) []repository.DealHistoryEntry
	// again is an error upon which the store runs a unit of work once more; nil
	// if it does so in any case.
	again error
}

// onBoth runs a test on an empty store of each kind.
func onBoth(t *testing.T, test func(s store)) {
	t.Helper()
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		memory := memstore.New()
		test(store{Tx: memory, t: t, grants: memory, history: memory.History})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		pool := openPool(t, 5*time.Second)
		test(store{
			Tx:      pgstore.NewTx(pool, []pgstore.Projection{pgstore.DealHistory{}, pgstore.ReadModels{}}),
			t:       t,
			grants:  pgstore.NewGrants(pool),
			history: func(id deal.ID) []repository.DealHistoryEntry { return readHistory(t, pool, id) },
			again:   &pgconn.PgError{Code: "40001"},
		})
	})
}

// run runs a part of the test on the same store.
func (s store) run(name string, test func(s store)) {
	s.t.Helper()
	s.t.Run(name, func(t *testing.T) {
		s.t = t
		test(s)
	})
}

// openPool is the product's pool on a database of the test. Its zone is not UTC, so
// that an instant stored without its zone is noticed, and it uses no index, so that
// rows have no accidental order.
func openPool(t *testing.T, lockTimeout time.Duration) *pgxpool.Pool {
	t.Helper()
	address, err := url.Parse(pgtest.URL(t))
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
		LockTimeout:      lockTimeout,
		Zone:             "America/St_Johns",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closePool(t, pool) })
	return pool
}

// closePool closes a pool to which all connections have been given back.
func closePool(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Errorf("%d connections were not given back", pool.Stat().AcquiredConns())
	}
}

func readHistory(t *testing.T, pool *pgxpool.Pool, id deal.ID) []repository.DealHistoryEntry {
	t.Helper()
	rows, err := pool.Query(t.Context(), `
select deal_id, status_id, coalesce(invoice_id, 0), user_id, created_on, coalesce(cause, '')
from deal_history
where deal_id = $1
order by id`, id)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := pgx.CollectRows(rows, pgx.RowToStructByPos[repository.DealHistoryEntry])
	if err != nil {
		t.Fatal(err)
	}
	return entries
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
