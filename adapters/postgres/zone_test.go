package postgres_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.32
func TestZoneOfTheFirstStartIsRecorded(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	if _, err := postgres.Zone(t.Context(), address); !errors.Is(err, postgres.ErrNoZone) {
		t.Fatalf("a database that was only migrated: %v, want ErrNoZone", err)
	}
	for range 2 {
		if err := postgres.RecordZone(t.Context(), address, "Europe/Berlin"); err != nil {
			t.Fatal(err)
		}
	}
	err := postgres.RecordZone(t.Context(), address, "UTC")
	if _, ok := errors.AsType[postgres.ZoneMismatch](err); !ok {
		t.Fatalf("another zone: %v, want a ZoneMismatch", err)
	}
	for _, part := range []string{"time zone of the database is Europe/Berlin", "in UTC", "--timezone Europe/Berlin", "kontor timezone set UTC"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	expectZone(t, address, "Europe/Berlin")
}

func TestZoneOfOneOfSeveralFirstStartsIsRecorded(t *testing.T) { // contract 1.32
	t.Parallel()
	address := pgtest.URL(t)
	zones := []string{"UTC", "Europe/Berlin", "Asia/Tokyo"}
	results := make(chan error)
	for _, zone := range zones {
		go func() { results <- postgres.RecordZone(t.Context(), address, zone) }()
	}
	recorded := 0
	for range zones {
		err := <-results
		if _, other := errors.AsType[postgres.ZoneMismatch](err); err == nil {
			recorded++
		} else if !other {
			t.Error(err)
		}
	}
	if recorded != 1 {
		t.Errorf("%d of %d starts in different zones succeeded, want one", recorded, len(zones))
	}
}

func TestZoneUnknownToTheDatabaseIsRejected(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	if err := postgres.RecordZone(t.Context(), address, "Mars/Olympus"); err == nil || !strings.Contains(err.Error(), "Mars/Olympus") {
		t.Errorf("recording it: %v, want an error that names it", err)
	}
	if err := postgres.SetZone(t.Context(), address, "Mars/Olympus"); err == nil || !strings.Contains(err.Error(), "Mars/Olympus") {
		t.Errorf("setting it: %v, want an error that names it", err)
	}
	if zone, err := postgres.Zone(t.Context(), address); !errors.Is(err, postgres.ErrNoZone) {
		t.Errorf("the zone of the database is %q, %v; want ErrNoZone", zone, err)
	}
}

// contract 1.32, 1.33
func TestZoneChangeMovesPaymentsToTheirMonths(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	pool := pgtest.Pool(t, address)
	expect := func(when string, wantMonth int32, wantReady bool) {
		t.Helper()
		month := column[int32](t, pool, "select paid_month % 12 + 1 from invoices")
		ready := column[bool](t, pool, "select is_ready from read_model_state")
		if month[0] != wantMonth || ready[0] != wantReady {
			t.Errorf("%s: paid in month %d, the lists are ready: %v; want month %d, %v", when, month[0], ready[0], wantMonth, wantReady)
		}
	}
	again := func() { execute(t, pool, "update read_model_state set is_ready = true") }

	if err := postgres.SetZone(t.Context(), address, "Asia/Tokyo"); err != nil {
		t.Fatal(err)
	}
	if !column[bool](t, pool, "select is_ready from read_model_state")[0] {
		t.Error("without invoices, the lists are to be rebuilt")
	}
	execute(t, pool, "delete from settings")
	service := pgtest.DB(t, address, "UTC")
	paid(t, service, time.Date(2023, 12, 31, 23, 30, 0, 0, time.UTC))
	service.Close()
	expect("paid in UTC", 12, true)
	if err := postgres.RecordZone(t.Context(), address, "Europe/Berlin"); err != nil {
		t.Fatal(err)
	}
	expect("the first zone is recorded", 1, false)
	again()
	if err := postgres.RecordZone(t.Context(), address, "Europe/Berlin"); err != nil {
		t.Fatal(err)
	}
	expect("a start in it", 1, true)
	setZone(t, address, "America/New_York")
	expect("another is set", 12, false)
}

// paid stores an office with an invoice that is paid at that time.
func paid(t *testing.T, pool *postgres.DB, at time.Time) fixture.Office {
	t.Helper()
	o := fixture.Open(t, pgstore.NewTx(pool, []pgstore.Projection{pgstore.ReadModels{}}))
	pay(t, pool, o, at)
	return o
}

// pay stores another such invoice.
func pay(t *testing.T, pool *postgres.DB, o fixture.Office, at time.Time) {
	t.Helper()
	inv := fixture.Must(invoice.New(o.Manager, fixture.Invoice(o), performer.Terms{}, at))
	if err := inv.AttachToDeal(deal.State{ID: o.Deal, ClientID: o.Client}); err != nil {
		t.Fatal(err)
	}
	tx := pgstore.NewTx(pool, []pgstore.Projection{pgstore.ReadModels{}})
	fixture.Do(t, tx, o.Manager, func(ctx context.Context, s repository.Stores) error {
		_, err := s.Invoices.Add(ctx, inv)
		return err
	})
}

// contract 1.33
func TestZoneIsNotSetWhileAServiceIsConnected(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	if err := postgres.RecordZone(t.Context(), address, "UTC"); err != nil {
		t.Fatal(err)
	}
	service, err := postgres.Open(t.Context(), postgres.Config{
		URL: address, Zone: "UTC", StatementTimeout: 10 * time.Second, LockTimeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	execute(t, service, "select")
	if err := postgres.SetZone(t.Context(), address, "Europe/Berlin"); !errors.Is(err, postgres.ErrServing) {
		t.Errorf("beside a service: %v, want ErrServing", err)
	}
	if err := postgres.SetZone(t.Context(), address, "UTC"); err != nil {
		t.Errorf("the zone that it has, beside a service: %v", err)
	}
	expectZone(t, address, "UTC")
}

// An operator's URL may have the name of services.
func TestZoneIsSetWhateverApplicationNameTheURLHas(t *testing.T) { // contract 1.33
	t.Parallel()
	address := pgtest.URL(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("application_name", "kontor")
	u.RawQuery = query.Encode()
	if err := postgres.SetZone(t.Context(), u.String(), "Europe/Berlin"); err != nil {
		t.Fatal(err)
	}
	expectZone(t, address, "Europe/Berlin")
}

// setZone sets the zone when the server has noticed that the connections are closed.
func setZone(t *testing.T, address, zone string) {
	t.Helper()
	for range 500 {
		err := postgres.SetZone(t.Context(), address, zone)
		if err == nil {
			return
		}
		if !errors.Is(err, postgres.ErrServing) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("a closed connection is still listed")
}

// A service that did not migrate fails rather than show wrong times.
func TestConnectionsUseTheStoredZone(t *testing.T) { // contract 1.32, 1.33, 4.77
	t.Parallel()
	address := pgtest.EmptyURL(t)
	connect := func() error {
		pool, err := postgres.Open(t.Context(), postgres.Config{
			URL: address, Zone: "UTC", StatementTimeout: 10 * time.Second, LockTimeout: 5 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		_, err = pool.Exec(t.Context(), "select")
		return err
	}
	if err := connect(); err != nil {
		t.Errorf("not migrated: %v", err)
	}
	if err := postgres.MigrateUp(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	if err := connect(); err != nil {
		t.Errorf("no zone is recorded: %v", err)
	}
	setZone(t, address, "UTC")
	if err := connect(); err != nil {
		t.Errorf("the same zone is recorded: %v", err)
	}
	setZone(t, address, "Europe/Berlin")
	err := connect()
	if f := fault.As(err); f == nil || f.Kind != fault.Unavailable {
		t.Errorf("another zone is recorded: %v, want unavailable", err)
	}
	if _, other := errors.AsType[postgres.ZoneMismatch](err); !other {
		t.Errorf("another zone is recorded: the log does not say so: %v", err)
	}
}

func expectZone(t *testing.T, address, want string) {
	t.Helper()
	if got, err := postgres.Zone(t.Context(), address); err != nil || got != want {
		t.Errorf("the zone of the database is %q, %v; want %s", got, err, want)
	}
}

// execute runs a statement that must succeed.
func execute(t *testing.T, db interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}, sql string,
) {
	t.Helper()
	if _, err := db.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
}
