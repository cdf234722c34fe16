package api_test

import (
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 14.20
func TestCompanyIsUnavailableUntilItIsMigrated(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the others are rolled back")
	s := start(t, withOfficeClock)
	one := s.addCompany("one", "UTC")
	config := bootstrap.Defaults(s.served)
	down, err := bootstrap.MigrateCompaniesDown(t.Context(), config, postgres.Version-1)
	if err != nil || down.Done != 1 {
		t.Fatalf("%+v, %v", down, err)
	}
	if r := one.as("admin").get("/rest/client"); r.status != http.StatusServiceUnavailable {
		t.Errorf("before the migration: %d %s", r.status, r.body)
	}
	s.as("admin").get("/rest/client").wants(http.StatusOK)

	stop := bootstrap.StartMigration(t.Context(), config, slog.New(slog.DiscardHandler))
	defer stop()
	// Its tokens were rolled back too.
	for end := time.Now().Add(time.Minute); one.as("admin").get("/rest/client").status == http.StatusServiceUnavailable; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the company is not served after a minute")
		}
	}
}

// contract 1.95
func TestCompanyWithAnEditedMigrationIsUnavailable(t *testing.T) {
	t.Parallel()
	s := start(t, withOfficeClock)
	one := s.addCompany("one", "UTC")
	edit := func(sql string) {
		if _, err := one.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	edit("update migration_checksums set sha256 = reverse(sha256)")
	if r := one.as("admin").get("/rest/client"); r.status != http.StatusServiceUnavailable {
		t.Errorf("with an edited migration: %d %s", r.status, r.body)
	}
	s.as("admin").get("/rest/client").wants(http.StatusOK)
	edit("update migration_checksums set sha256 = reverse(sha256)")
	one.as("admin").get("/rest/client").wants(http.StatusOK)
}
