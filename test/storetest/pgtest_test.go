package storetest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/pgtest"
)

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := conn.Close(ctx); err != nil {
			t.Logf("close: %v", err)
		}
	})
	return conn
}

func ask[T any](t *testing.T, conn *pgx.Conn, sql string, arguments ...any) T {
	t.Helper()
	var answer T
	if err := conn.QueryRow(t.Context(), sql, arguments...).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

const countTables = "select count(*) from pg_tables where schemaname = current_schema"

func TestCloneIsMigratedAndAnEmptyDatabaseIsNot(t *testing.T) {
	t.Parallel()
	if n := ask[int](t, connect(t, pgtest.URL(t)), countTables); n < 2 {
		t.Errorf("a clone has %d tables, want the schema's", n)
	}
	if n := ask[int](t, connect(t, pgtest.EmptyURL(t)), countTables); n != 0 {
		t.Errorf("an empty database has %d tables, want none", n)
	}
}

func TestTestsDoNotSeeEachOthersData(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := connect(t, pgtest.URL(t))
			if _, err := conn.Exec(t.Context(), "create table mark (name text)"); err != nil {
				t.Errorf("somebody else was here: %v", err)
			}
		})
	}
}

func TestDatabaseIsDroppedAfterItsTest(t *testing.T) {
	observer := connect(t, pgtest.EmptyURL(t))
	var dropped string
	t.Run("a test that leaves a connection open", func(t *testing.T) {
		left, err := pgx.Connect(context.WithoutCancel(t.Context()), pgtest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		dropped = left.Config().Database
		if n := ask[int](t, observer, "select count(*) from pg_database where datname = $1", dropped); n != 1 {
			t.Errorf("during the test: %d databases named %s, want 1", n, dropped)
		}
	})
	for end := time.Now().Add(30 * time.Second); ask[int](t, observer, "select count(*) from pg_database where datname = $1", dropped) != 0; {
		if time.Now().After(end) {
			t.Fatalf("after the test: database %s is still there", dropped)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestPoolIsOnTheRequestedDatabase(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	var name string
	if err := pgtest.Pool(t, url).QueryRow(t.Context(), "select current_database()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(url, "/"+name) {
		t.Errorf("the pool is on %s, want the database of %s", name, url)
	}
}

func BenchmarkClone(b *testing.B) {
	pgtest.URL(b) // the server's start is not what is measured
	for b.Loop() {
		pgtest.URL(b)
	}
}
