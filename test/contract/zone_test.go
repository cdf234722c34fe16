package contract_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.32
func TestTheFirstZoneIsKeptAndAnotherIsRefused(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	if _, err := postgres.Zone(t.Context(), url); !errors.Is(err, postgres.ErrNoZone) {
		t.Fatalf("a database that was only migrated: %v, want ErrNoZone", err)
	}
	for range 2 {
		if err := postgres.KeepZone(t.Context(), url, "Europe/Berlin"); err != nil {
			t.Fatal(err)
		}
	}
	err := postgres.KeepZone(t.Context(), url, "UTC")
	if _, ok := errors.AsType[postgres.OtherZone](err); !ok {
		t.Fatalf("another zone: %v, want an OtherZone", err)
	}
	for _, part := range []string{"in the time zone Europe/Berlin", "in UTC", "--timezone Europe/Berlin", "kontor timezone set UTC"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	expectZone(t, url, "Europe/Berlin")
}

func TestOfTwoFirstStartsOneZoneIsKept(t *testing.T) { // contract 1.32
	t.Parallel()
	url := pgtest.URL(t)
	zones := []string{"UTC", "Europe/Berlin", "Asia/Tokyo"}
	results := make(chan error)
	for _, zone := range zones {
		go func() { results <- postgres.KeepZone(t.Context(), url, zone) }()
	}
	kept := 0
	for range zones {
		err := <-results
		if _, other := errors.AsType[postgres.OtherZone](err); err == nil {
			kept++
		} else if !other {
			t.Error(err)
		}
	}
	if kept != 1 {
		t.Errorf("%d of %d starts in different zones succeeded, want one", kept, len(zones))
	}
}

func TestAZoneThatTheDatabaseDoesNotKnowIsNotKept(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	if err := postgres.KeepZone(t.Context(), url, "Mars/Olympus"); err == nil || !strings.Contains(err.Error(), "Mars/Olympus") {
		t.Errorf("keeping it: %v, want an error that names it", err)
	}
	if err := postgres.SetZone(t.Context(), url, "Mars/Olympus"); err == nil || !strings.Contains(err.Error(), "Mars/Olympus") {
		t.Errorf("setting it: %v, want an error that names it", err)
	}
	if zone, err := postgres.Zone(t.Context(), url); !errors.Is(err, postgres.ErrNoZone) {
		t.Errorf("the database is kept in %q, %v; want ErrNoZone", zone, err)
	}
}

// contract 1.33
func TestAZoneCanBeSetWhateverWasKeptBefore(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	for _, zone := range []string{"Europe/Berlin", "Asia/Tokyo"} {
		if err := postgres.SetZone(t.Context(), url, zone); err != nil {
			t.Fatal(err)
		}
		expectZone(t, url, zone)
		if err := postgres.KeepZone(t.Context(), url, zone); err != nil {
			t.Errorf("starting in the zone that was set: %v", err)
		}
	}
}

// A service that did not migrate, or runs while the zone is changed, answers
// nothing rather than wrong times.
func TestNoConnectionSpeaksInAnotherZone(t *testing.T) { // contract 1.32, 1.33, 4.77
	t.Parallel()
	url := pgtest.EmptyURL(t)
	connect := func() error {
		pool, err := postgres.Open(t.Context(), postgres.Config{
			URL: url, Zone: "UTC", StatementTimeout: 10 * time.Second, LockTimeout: 5 * time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		return pool.Ping(t.Context())
	}
	if err := connect(); err != nil {
		t.Errorf("not migrated: %v", err)
	}
	migrateUp(t, url)
	if err := connect(); err != nil {
		t.Errorf("no zone is kept: %v", err)
	}
	if err := postgres.SetZone(t.Context(), url, "UTC"); err != nil {
		t.Fatal(err)
	}
	if err := connect(); err != nil {
		t.Errorf("the same zone is kept: %v", err)
	}
	if err := postgres.SetZone(t.Context(), url, "Europe/Berlin"); err != nil {
		t.Fatal(err)
	}
	err := connect()
	if f := fault.As(err); f == nil || f.Kind != fault.Unavailable {
		t.Errorf("another zone is kept: %v, want unavailable", err)
	}
	if _, other := errors.AsType[postgres.OtherZone](err); !other {
		t.Errorf("another zone is kept: the log is not told so: %v", err)
	}
}

func expectZone(t *testing.T, url, want string) {
	t.Helper()
	if got, err := postgres.Zone(t.Context(), url); err != nil || got != want {
		t.Errorf("the database is kept in %q, %v; want %s", got, err, want)
	}
}
