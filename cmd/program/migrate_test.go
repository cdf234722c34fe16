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

// contract 1.95
func TestEditedMigrationStopsServeAndIsNamed(t *testing.T) {
	url := pgtest.URL(t)
	t.Setenv("KONTOR_DATABASE_URL", url)
	for _, edit := range []string{
		"update migration_checksums set sha256 = repeat('0', 64)",
		"delete from migration_checksums",
		"drop table migration_checksums",
	} {
		if _, err := pgtest.Pool(t, url).Exec(t.Context(), edit); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"serve", "serve --migrate=false", "migrate up"} {
			reported := rejected(t, codeFailed, line)
			if !strings.Contains(reported, "00001_baseline.sql is not the one that the database has applied") || strings.Count(reported, "\n") != 1 {
				t.Errorf("after %q kontor %s reports %s", edit, line, reported)
			}
		}
		if status := kontor(t, "migrate status"); !strings.Contains(status, "edited  00001_baseline.sql") {
			t.Errorf("after %q the status is\n%s", edit, status)
		}
		if _, printed, _ := called(t, "doctor"); !strings.Contains(printed, "00001_baseline.sql was edited") {
			t.Errorf("after %q doctor prints\n%s", edit, printed)
		}
	}
}
