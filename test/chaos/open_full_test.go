//go:build full

package chaos_test

import (
	"testing"

	"github.com/kontor-crm/kontor/test/chaos"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// open opens a site with a PostgreSQL of its own.
func open(t *testing.T, settings ...string) *chaos.Site {
	t.Helper()
	s, err := chaos.Open(t.Context(), testprogram.Path(t), settings...)
	return closeAtEnd(t, s, err)
}
