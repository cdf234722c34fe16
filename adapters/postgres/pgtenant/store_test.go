package pgtenant_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgtenant"
	tenants "github.com/kontor-crm/kontor/application/tenant"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/tenant"
	"github.com/kontor-crm/kontor/test/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

type clock struct{}

func (clock) Now() time.Time         { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
func (clock) Elapsed() time.Duration { return 0 }

// database is a migrated database and what operators do with its companies.
type database struct {
	t     testing.TB
	url   string
	pool  *pgxpool.Pool // on the default company
	store *pgtenant.Store
	*tenants.Tenants
}

func open(t *testing.T) database {
	t.Helper()
	return at(t, pgtest.URL(t))
}

// at has connections of its own, as another process has.
func at(t testing.TB, url string) database {
	t.Helper()
	store, err := pgtenant.NewStore(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return database{t, url, pgtest.Pool(t, url), store, tenants.New(store, clock{})}
}

func (d database) add(name string) tenant.Tenant {
	d.t.Helper()
	added, err := d.Add(d.t.Context(), name, "Europe/Berlin")
	if err != nil {
		d.t.Fatal(err)
	}
	return added
}

// in is a pool on a company.
func (d database) in(c tenant.Tenant) *pgxpool.Pool {
	d.t.Helper()
	url, err := postgres.InTenant(d.url, c.Code)
	if err != nil {
		d.t.Fatal(err)
	}
	return pgtest.Pool(d.t, url)
}

// state is that of the company of the name; empty if there is none.
func (d database) state(name string) tenant.State {
	d.t.Helper()
	found, err := d.Find(d.t.Context(), name)
	if err != nil && !errors.Is(err, tenant.ErrUnknown) {
		d.t.Fatal(err)
	}
	return found.State
}

func column[T any](t testing.TB, pool *pgxpool.Pool, sql string, arguments ...any) []T {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatal(err)
	}
	return list
}

const ownSchemas = "select nspname::text from pg_namespace where nspname like 'company%' or nspname like 'kontor%' order by 1"

// contract 14.1, 14.6
func TestCatalogueOfADatabaseWithoutCompaniesIsEmpty(t *testing.T) {
	t.Parallel()
	d := open(t)
	l, err := d.store.List(t.Context())
	if err != nil || l.Version != 0 || len(l.Tenants) != 0 {
		t.Errorf("%+v, %v", l, err)
	}
	if version, err := d.store.Version(t.Context()); err != nil || version != 0 {
		t.Errorf("version %d, %v", version, err)
	}
	if _, err := d.Find(t.Context(), "bakery"); !errors.Is(err, tenant.ErrUnknown) {
		t.Error(err)
	}
	if schemas := column[string](t, d.pool, ownSchemas); len(schemas) > 0 {
		t.Errorf("it has the schemas %v", schemas)
	}
	tx, err := d.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := pgtenant.NewCatalogue(tx).List(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := tx.Exec(t.Context(), "select"); err != nil {
		t.Error("reading the catalogue is an error in the log of the server:", err)
	}
}

// contract 14.1, 14.6
func TestCatalogueListsCompaniesByName(t *testing.T) {
	t.Parallel()
	d := open(t)
	b, a := d.add("b"), d.add("a")
	l, err := d.store.List(t.Context())
	if err != nil || len(l.Tenants) != 2 || l.Tenants[0] != a || l.Tenants[1] != b {
		t.Errorf("%+v, %v", l, err)
	}
	want := tenant.Tenant{
		Code: a.Code, Name: "a", State: tenant.Active, TimeZone: "Europe/Berlin", Migration: postgres.Version, CreatedAt: clock{}.Now(),
	}
	if a != want {
		t.Errorf("%+v, want %+v", a, want)
	}
	schemas := strings.Join(column[string](t, d.pool, ownSchemas), " ")
	if !strings.Contains(schemas, a.Code.Schema()) || !strings.Contains(schemas, "kontor_shared") {
		t.Errorf("the schemas are %s", schemas)
	}
}

func TestCatalogueVersionGrowsWithEachChange(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.add("a")
	last, err := d.store.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range []func() error{
		func() error { _, err := d.Add(t.Context(), "b", "UTC"); return err },
		func() error { return d.Disable(t.Context(), "a") },
		func() error { return d.Remove(t.Context(), "a") },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		l, err := d.store.List(t.Context())
		if err != nil || l.Version <= last {
			t.Errorf("after change %d the version is %d, and was %d: %v", name, l.Version, last, err)
		}
		last = l.Version
	}
}

// contract 14.2, 14.5
func TestAddOfTheSameNameAtOnceHasOneWinner(t *testing.T) {
	t.Parallel()
	d := open(t)
	const administrators = 4
	errs := make([]error, administrators)
	var group sync.WaitGroup
	for i := range administrators {
		other := at(t, d.url)
		group.Go(func() {
			_, errs[i] = other.Add(t.Context(), "bakery", "UTC")
			for errors.Is(errs[i], tenant.ErrBusy) { // the winner takes longer than losers wait
				_, errs[i] = other.Add(t.Context(), "bakery", "UTC")
			}
		})
	}
	group.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, tenant.ErrTaken):
			t.Errorf("the loser gets %v", err)
		}
	}
	all, err := d.List(t.Context())
	if won != 1 || len(all) != 1 || all[0].State != tenant.Active || err != nil {
		t.Errorf("%d have added it, and the companies are %+v, %v", won, all, err)
	}
	if schemas := column[string](t, d.pool, ownSchemas); len(schemas) != 2 {
		t.Errorf("the schemas are %v", schemas)
	}
}

// interrupt runs use, and ends its connection while it waits for the lock, as if the process
// was killed.
func (d database) interrupt(t *testing.T, lock string, use func(context.Context) error) {
	t.Helper()
	tx, err := d.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- use(t.Context()) }()
	const ended = `
select pg_terminate_backend(pid, 5000)
from pg_stat_activity
where datname = current_database() and application_name = 'kontor company' and wait_event_type = 'Lock'`
	for len(column[bool](t, d.pool, ended)) == 0 {
		select {
		case err := <-done:
			t.Fatalf("it has ended before it was interrupted: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if err := <-done; err == nil {
		t.Fatal("it was not interrupted")
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// contract 14.5
func TestAddInterruptedInItsTransactionLeavesNoSchema(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.add("first")
	// The company becomes active last of all.
	d.interrupt(t, "lock table kontor_shared.catalogue in share mode", func(ctx context.Context) error {
		return at(t, d.url).addingNow(ctx)
	})
	if state := d.state("bakery"); state != tenant.Adding && state != "" {
		t.Errorf("it is %s", state)
	}
	if schemas := column[string](t, d.pool, ownSchemas); len(schemas) != 2 {
		t.Errorf("the schemas are %v", schemas)
	}
	d.add("bakery")
	if all, err := d.List(t.Context()); err != nil || len(all) != 2 || d.state("bakery") != tenant.Active {
		t.Errorf("%+v, %v", all, err)
	}
}

func (d database) addingNow(ctx context.Context) error {
	_, err := d.Add(ctx, "bakery", "UTC")
	return err
}

// contract 14.10
func TestRemoveInterruptedInItsTransactionKeepsAllOrNothing(t *testing.T) {
	t.Parallel()
	d := open(t)
	removed := d.add("bakery")
	const tablesOf = "select tablename::text from pg_tables where schemaname = current_schema()"
	all := len(column[string](t, d.in(removed), tablesOf))
	d.interrupt(t, "lock table "+removed.Code.Schema()+".invoices in access share mode", func(ctx context.Context) error {
		return at(t, d.url).Remove(ctx, "bakery")
	})
	if state := d.state("bakery"); state != tenant.Removing {
		t.Errorf("it is %s", state)
	}
	if tables := column[string](t, d.in(removed), tablesOf); len(tables) != all {
		t.Errorf("%d of %d tables are left", len(tables), all)
	}
	if _, err := d.Add(t.Context(), "bakery", "UTC"); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "remove bakery --really finishes it") {
		t.Errorf("the name is used again: %v", err)
	}
	if err := d.Remove(t.Context(), "bakery"); err != nil || d.state("bakery") != "" {
		t.Errorf("the removal is repeated: %v", err)
	}
	if schemas := column[string](t, d.pool, ownSchemas); len(schemas) != 1 {
		t.Errorf("the schemas are %v", schemas)
	}
}

// contract 14.5
func TestHoldRejectsACompanyThatAnotherProcessChanges(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.add("bakery")
	err := d.store.Hold(t.Context(), "bakery", func(tenant.Held) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		return at(t, pgtest.WithParameter(t, d.url, "lock_timeout", "1ms")).Disable(ctx, "bakery")
	})
	if !errors.Is(err, tenant.ErrBusy) {
		t.Error(err)
	}
	if err := d.Disable(t.Context(), "bakery"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestRenameToANameThatIsTakenIsAConflict(t *testing.T) {
	t.Parallel()
	d := open(t)
	a, _ := d.add("a"), d.add("b")
	if err := d.Rename(t.Context(), "a", "b"); !errors.Is(err, tenant.ErrTaken) {
		t.Error(err)
	}
	if err := d.Rename(t.Context(), "a", "c"); err != nil {
		t.Error(err)
	}
	if found, err := d.Find(t.Context(), "c"); err != nil || found.Code != a.Code {
		t.Errorf("%+v, %v", found, err)
	}
}

// contract 15.2
func TestCompanyIsNotAddedToAnOldCitus(t *testing.T) {
	t.Parallel()
	d := open(t)
	if _, err := d.pool.Exec(t.Context(), `
insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
select 4242424, 'citus', extowner, extnamespace, false, '12.1-1' from pg_extension limit 1`); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Add(t.Context(), "bakery", "UTC"); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "has Citus 12") {
		t.Errorf("the error is %v", err)
	}
}
