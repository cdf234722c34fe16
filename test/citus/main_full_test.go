//go:build full

package citus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/test/citus"
)

// cluster is that of the tests of this package, started by the first that needs it.
var cluster struct {
	once    sync.Once
	started *citus.Cluster
	err     error
	created atomic.Int64
}

func TestMain(m *testing.M) {
	code := m.Run()
	if cluster.started != nil {
		if err := cluster.started.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "citus:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

func running(t *testing.T) *citus.Cluster {
	t.Helper()
	cluster.once.Do(func() { cluster.started, cluster.err = citus.Start(t.Context(), 2) })
	if errors.Is(cluster.err, citus.ErrNotInstalled) {
		t.Skip(cluster.err)
	}
	if cluster.err != nil {
		t.Fatal(cluster.err)
	}
	return cluster.started
}

// database makes a distributed database without schemas of companies for this test alone, and returns
// its name.
func database(t *testing.T) (*citus.Cluster, string) {
	t.Helper()
	c := running(t)
	name := create(t, c)
	for _, n := range c.Nodes {
		t.Cleanup(func() { execute(t, n.URL("postgres"), "drop database "+name+" with (force)") })
	}
	return c, name
}

func create(t *testing.T, c *citus.Cluster) (name string) {
	t.Helper()
	name = "company_" + strconv.FormatInt(cluster.created.Add(1), 10)
	for _, n := range c.Nodes {
		execute(t, n.URL("postgres"), "create database "+name)
	}
	if err := citus.Distribute(t.Context(), c.URL(name), c.Nodes[1].URL(name), c.Nodes[2].URL(name)); err != nil {
		t.Fatal(err)
	}
	return name
}

// execute runs a statement. It may be called at the end of a test.
func execute(t *testing.T, url, sql string, args ...any) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql, args...); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

// column is the result of a query of one column.
func column[T any](t *testing.T, url, sql string, args ...any) []T {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, err := conn.Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// await waits until the query on the node has a result that is as wanted.
func await(t *testing.T, url, sql string, is func(int64) bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if is(column[int64](t, url, sql)[0]) {
			return
		}
	}
	t.Fatalf("waited without success for %s", sql)
}
