package program

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.36
func TestMigrateDownSaysWhatIsLostAndIsConfirmed(t *testing.T) {
	t.Setenv("KONTOR_DATABASE_URL", pgtest.URL(t))
	before := kontor(t, "migrate up")
	kontor(t, "demo")
	for _, line := range []string{"migrate down", "migrate down --to 0"} {
		reported := rejected(t, codeMisuse, line)
		for _, part := range []string{"00001_baseline.sql", "clients: 12", "invoices: ", "users: ", "--really"} {
			if !strings.Contains(reported, part) || strings.Contains(reported, "series: ") {
				t.Errorf("kontor %s reports without %q, or with empty tables: %s", line, part, reported)
			}
		}
	}
	if status := kontor(t, "migrate status"); status != before {
		t.Errorf("refused, the status is\n%s", status)
	}
	if status := kontor(t, "migrate down --really"); !strings.Contains(status, "missing") {
		t.Errorf("rolled back, the status is\n%s", status)
	}
	if reported := rejected(t, codeMisuse, "migrate down"); !strings.Contains(reported, "rolling back no migration") {
		t.Errorf("without a migration kontor migrate down reports %s", reported)
	}
}
