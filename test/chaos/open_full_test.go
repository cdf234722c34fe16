//go:build full

package chaos_test

import (
	"testing"

	"github.com/kontor-crm/kontor/test/chaos"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// open opens a site with a PostgreSQL of its own.
func open(t *testing.T, settings ...string) *chaos.Site {
	t.Helper()
	s, err := chaos.Open(t.Context(), testprogram.Path(t), settings...)
	return closeAtEnd(t, s, err)
}

// openOnPgtest opens a site on a database of the test server, for tests that do
// not kill PostgreSQL.
func openOnPgtest(t *testing.T) *chaos.Site {
	t.Helper()
	s, err := chaos.OpenOn(t.Context(), testprogram.Path(t), pgtest.URL(t))
	return closeAtEnd(t, s, err)
}

func closeAtEnd(t *testing.T, s *chaos.Site, err error) *chaos.Site {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
