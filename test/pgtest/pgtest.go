package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/test/citus"
)

// process is the server of this test process, from its first use to the end
// of Run.
var process struct {
	running atomic.Bool
	once    sync.Once
	cluster *cluster
	err     error
}

// Run runs a package's tests and then stops what they started. It returns the
// code to exit with.
//
// Garbage is collected rarely, up to a soft memory limit: with Go's default, collecting it takes more
// than half of the CPU time of the tests of the API.
func Run(m *testing.M) int {
	debug.SetGCPercent(1600)
	debug.SetMemoryLimit(512 << 20)
	process.running.Store(true)
	code := m.Run()
	process.once.Do(func() { process.err = errors.New("the tests are over") })
	if process.cluster == nil {
		return code
	}
	err := process.cluster.close()
	if d := process.cluster.distribution; d != nil {
		placed, missing := d.placed()
		err = errors.Join(err, missing, announce(os.Stderr, filepath.Base(os.Args[0])+": "+placed, os.Getenv(envServers)))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		return max(code, 1)
	}
	return code
}

// URL returns the URL of a migrated database that belongs to this test alone. It
// is dropped soon after the test's end, open connections or not.
func URL(t testing.TB) string {
	t.Helper()
	return database(t, (*cluster).clone, (*cluster).urlOf)
}

// EmptyURL returns the URL of an empty database, without any migration, that
// belongs to this test alone.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return database(t, (*cluster).empty, (*cluster).migratingURL)
}

// WithParameter returns the URL of a database with a parameter in its query; unchanged if the value is
// empty.
func WithParameter(t testing.TB, databaseURL, name, value string) string {
	t.Helper()
	if value == "" {
		return databaseURL
	}
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// Pool returns a connection pool on the database, closed at the test's end.
func Pool(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		t.Fatalf("pgtest: read the URL: %v", err)
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatalf("pgtest: create a pool: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// DB returns the default company of the database in the zone, as the service opens it, until the test's end.
func DB(t testing.TB, url, zone string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgres.Config{
		URL: url, MaxConns: 8, StatementTimeout: 20 * time.Second, LockTimeout: 5 * time.Second, Zone: zone, Distributed: IsDistributed(),
	})
	if err != nil {
		t.Fatalf("pgtest: open the database: %v", err)
	}
	t.Cleanup(db.Close)
	return db
}

func database(t testing.TB, create func(*cluster, context.Context) (string, error), urlOf func(*cluster, string) string) string {
	t.Helper()
	cluster := start(t)
	name, err := create(cluster, t.Context())
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if cluster.distribution != nil {
			cluster.count(t, name)
		}
		cluster.dropSoon(name)
	})
	return urlOf(cluster, name)
}

func start(t testing.TB) *cluster {
	t.Helper()
	if !process.running.Load() {
		t.Fatal("pgtest: this package needs func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }")
	}
	process.once.Do(func() {
		// Not the test's context: the server outlives the first test that uses it.
		if process.cluster, process.err = openCluster(context.Background()); process.err == nil {
			process.err = announce(os.Stderr, "PostgreSQL is "+process.cluster.server.name, os.Getenv(envServers))
		}
	})
	if errors.Is(process.err, citus.ErrNotInstalled) {
		t.Skipf("pgtest: %v", process.err)
	}
	if process.err != nil {
		t.Fatalf("pgtest: %v", process.err)
	}
	return process.cluster
}
