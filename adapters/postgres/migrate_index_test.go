package postgres_test

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// indexing is a migration as CONTRIBUTING.md describes it.
const indexing = `-- +goose NO TRANSACTION
drop index concurrently if exists clients_by_next;
set lock_timeout = 0;
create index concurrently clients_by_next on clients (phone, id);
reset lock_timeout;`

// contract 1.75
func TestMigrationWithoutTransactionCreatesIndexBesideWriters(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := pgtest.Pool(t, url)
	// As an attempt that failed has left it.
	if _, err := pool.Exec(t.Context(), "create index clients_by_next on clients (id)"); err != nil {
		t.Fatal(err)
	}
	writer, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const write = "update clients set phone = '1'"
	if _, err := writer.Exec(t.Context(), write); err != nil {
		t.Fatal(err)
	}
	// Dropping the index waits for writers too, in short attempts.
	migrated := make(chan error, 1)
	go func() { migrated <- postgres.MigrateUpFrom(t.Context(), url, next(t, indexing)) }()
	awaitWaiting(t, pool)
	if err := writer.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Fatal(err)
	}
	const sound = "select indisvalid and pg_get_indexdef(indexrelid) like '%(phone, id)' from pg_index where indexrelid = 'clients_by_next'::regclass"
	if valid := column[bool](t, pool, sound); !valid[0] {
		t.Error("the index is not the one of the migration")
	}
	if err := postgres.CheckMigrated(t.Context(), url); err != nil {
		t.Errorf("the migrations are not recorded: %v", err)
	}
}

// contract 1.75
func TestMigrationThatCreatesIndexBlocksNoWriter(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool := pgtest.Pool(t, url)
	writer, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Rollback(t.Context()) }()
	const write = "update clients set phone = '1'"
	if _, err := writer.Exec(t.Context(), write); err != nil {
		t.Fatal(err)
	}
	migrated := make(chan error, 1)
	go func() { migrated <- postgres.MigrateUpFrom(t.Context(), url, next(t, indexing)) }()
	started := func() time.Time {
		const building = "select query_start from pg_stat_progress_create_index join pg_stat_activity using (pid) where wait_event_type = 'Lock' and pg_stat_activity.datname = current_database()"
		for range 1000 {
			if found := column[time.Time](t, pool, building); len(found) == 1 {
				return found[0]
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatal("no index is being created")
		return time.Time{}
	}
	before := started()
	time.Sleep(700 * time.Millisecond) // longer than migrations wait for locks elsewhere
	if after := started(); !after.Equal(before) {
		t.Error("the migration has begun again instead of waiting")
	}
	if _, err := pool.Exec(t.Context(), "set lock_timeout = '5s'; "+write); err != nil {
		t.Errorf("a writer beside the migration: %v", err)
	}
	if err := writer.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Fatal(err)
	}
}
