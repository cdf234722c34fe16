package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.36
func TestMigrateLeavesCurrentAndEmptyDatabasesUnchanged(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	if err := migrateDown(t, url); err != nil {
		t.Errorf("down of an empty database: %v", err)
	}
	migrateUp(t, url)
	pool := pgtest.Pool(t, url)
	const stamps = "select version_id || ' ' || tstamp from schema_migrations order by id"
	before := column[string](t, pool, stamps)
	migrateUp(t, url)
	if after := column[string](t, pool, stamps); strings.Join(before, ",") != strings.Join(after, ",") {
		t.Errorf("up without pending migrations changed %[2]v to %[1]v", after, before)
	}
}

// contract 1.18
func TestDatabaseIsReadyWithAllMigrations(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	probe, err := postgres.NewProbe(t.Context(), postgres.Config{URL: url, Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	expectReady := func(want bool) {
		t.Helper()
		ready, migrated := probe.Ready(t.Context()), postgres.CheckMigrated(t.Context(), url)
		if (ready == nil) != want || errors.Is(migrated, postgres.ErrNotMigrated) == want || want && migrated != nil {
			t.Errorf("ready: %v, migrated: %v; want ready %v", ready, migrated, want)
		}
	}
	expectReady(false)
	migrateUp(t, url)
	expectReady(true)
	if err := migrateDown(t, url); err != nil {
		t.Fatal(err)
	}
	expectReady(false)
}

// contract 1.77
func TestConcurrentMigrationsApplyOnce(t *testing.T) {
	t.Parallel()
	for _, isMigrated := range []bool{false, true} {
		t.Run(fmt.Sprintf("the present migrations are applied: %v", isMigrated), func(t *testing.T) {
			t.Parallel()
			url, files := pgtest.EmptyURL(t), next(t, "create table synthetic (id bigint);")
			if isMigrated {
				migrateUp(t, url)
			}
			const programs = 4
			results := make([]error, programs)
			var together sync.WaitGroup
			for i := range programs {
				together.Go(func() { results[i] = postgres.MigrateUpFrom(t.Context(), url, files) })
			}
			together.Wait()
			if err := errors.Join(results...); err != nil {
				t.Error(err)
			}
			times := column[int64](t, pgtest.Pool(t, url),
				"select count(*) from schema_migrations where version_id > 0 and is_applied group by version_id order by version_id")
			if !slices.Equal(times, slices.Repeat([]int64{1}, len(all(t))+1)) {
				t.Errorf("the migrations were applied %v times, want each once", times)
			}
		})
	}
}

// A migration waits only briefly for a lock, because other transactions queue behind it.
func TestMigrationWaitingForALockBlocksNoTransaction(t *testing.T) { // contract 1.75
	t.Parallel()
	url := pgtest.EmptyURL(t)
	migrateUp(t, url)
	pool := pgtest.Pool(t, url)
	reader, err := pool.Begin(t.Context()) // as pg_dump does
	if err != nil {
		t.Fatal(err)
	}
	column[int64](t, reader, "select count(*) from invoices")
	migrated := make(chan error, 1)
	go func() {
		migrated <- postgres.MigrateUpFrom(t.Context(), url, next(t, "alter table invoices add column synthetic integer;"))
	}()
	awaitWaiting(t, pool)
	// The lock timeout of the service.
	if _, err := pool.Exec(t.Context(), "set lock_timeout = '5s'; select count(*) from invoices"); err != nil {
		t.Errorf("another transaction while the migration waited: %v", err)
	}
	select {
	case err := <-migrated:
		t.Fatalf("the migration has not waited: %v", err)
	default:
	}
	if err := reader.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Errorf("after the lock was released: %v", err)
	}
}

// contract 1.77
func TestMigrateDownOfUnknownMigrationIsRejected(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := pgtest.Pool(t, url)
	known := int64(len(all(t)))
	if _, err := pool.Exec(t.Context(), "insert into schema_migrations (version_id, is_applied) values ($1, true)", known+1); err != nil {
		t.Fatal(err)
	}
	before := column[string](t, pool, schema)
	for name, err := range map[string]error{
		"down":         migrateDown(t, url),
		"down to zero": postgres.MigrateDownTo(t.Context(), url, 0),
	} {
		unknown, ok := errors.AsType[postgres.UnknownMigration](err)
		if !ok || unknown != (postgres.UnknownMigration{Has: known + 1, Known: known}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := column[string](t, pool, schema); len(after) != len(before) {
		t.Error("a migration was reverted nevertheless")
	}
	migrateUp(t, url) // nothing is pending
}

func migrateUp(t *testing.T, url string) {
	t.Helper()
	if err := postgres.MigrateUp(t.Context(), url); err != nil {
		t.Fatal(err)
	}
}

// awaitWaiting returns once a connection waits for another's lock.
func awaitWaiting(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	const waits = "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')"
	for end := time.Now().Add(20 * time.Second); !column[bool](t, pool, waits)[0]; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no connection waits for a lock")
		}
	}
}
