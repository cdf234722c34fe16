package pgtest

import (
	"context"
	"slices"
	"sync"
	"testing"
)

// Fixture is a database with records that many tests begin with. It is prepared at its first use;
// each test gets a copy.
//
// Chose copies, because tests cannot see each other through them; costs a database for each
// fixture, and that what its records say of the time of their creation is the same for all tests.
type Fixture[T any] struct {
	prepare  func(t testing.TB, url string) T
	isEmpty  bool // before it is prepared
	once     sync.Once
	template string // empty if it could not be prepared
	of       T
}

// NewFixture returns a fixture of what prepare stores in a migrated database. What it returns is
// for all tests. What it opens for the test is closed before the database is copied.
func NewFixture[T any](prepare func(t testing.TB, url string) T) *Fixture[T] {
	return &Fixture[T]{prepare: prepare}
}

// NewEmptyFixture is like NewFixture, with a database without any migration.
func NewEmptyFixture[T any](prepare func(t testing.TB, url string) T) *Fixture[T] {
	return &Fixture[T]{prepare: prepare, isEmpty: true}
}

// URL returns the URL of a copy that belongs to this test alone, as that of the function URL does,
// and what was returned by prepare.
//
// On Citus, which keeps connections to a database, it is no copy but a database
// of its own.
func (f *Fixture[T]) URL(t testing.TB) (string, T) {
	t.Helper()
	server, source, create := start(t), URL, (*cluster).clone
	if f.isEmpty {
		source, create = EmptyURL, (*cluster).empty
	}
	if server.distribution != nil {
		url := source(t)
		return url, f.store(t, url)
	}
	f.once.Do(func() {
		name, err := server.fixture(t.Context(), create)
		if err != nil {
			t.Fatalf("pgtest: %v", err)
		}
		f.of, f.template = f.store(t, server.urlOf(name)), name
	})
	if f.template == "" {
		t.Fatal("pgtest: another test could not prepare the fixture")
	}
	url := database(t, func(c *cluster, ctx context.Context) (string, error) { return c.copyOf(ctx, f.template) }, (*cluster).urlOf)
	return url, f.of
}

// store prepares the database, and closes what that opened.
func (f *Fixture[T]) store(t testing.TB, url string) T {
	t.Helper()
	during := &preparation{TB: t}
	defer during.end()
	return f.prepare(during, url)
}

// preparation is the part of a test that prepares a fixture.
type preparation struct {
	testing.TB
	cleanups []func()
}

func (p *preparation) Cleanup(cleanup func()) { p.cleanups = append(p.cleanups, cleanup) }

func (p *preparation) end() {
	for _, cleanup := range slices.Backward(p.cleanups) {
		cleanup()
	}
}
