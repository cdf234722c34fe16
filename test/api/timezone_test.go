package api_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 1.32, 1.33
func TestAStartInAnotherZoneFailsUntilTheZoneIsChanged(t *testing.T) {
	url := pgtest.EmptyURL(t)
	startIn := func(zone string) error {
		return bootstrap.Migrate(t.Context(), bootstrap.Config{DatabaseURL: url, TimeZone: zone})
	}
	if err := startIn("Europe/Berlin"); err != nil {
		t.Fatal(err)
	}
	if err := startIn("Europe/Berlin"); err != nil {
		t.Errorf("the second start in the same zone: %v", err)
	}
	if _, other := errors.AsType[postgres.OtherZone](startIn("UTC")); !other {
		t.Error("the default zone was taken for a database that is kept in another")
	}
	if err := postgres.SetZone(t.Context(), url, "UTC"); err != nil {
		t.Fatal(err)
	}
	if err := startIn("UTC"); err != nil {
		t.Errorf("a start in the zone that was set: %v", err)
	}
}

// contract 1.24, 1.33, 4.77, 10.99, 10.100
func TestTheSameDatabaseIsShownAndCountedInTheZoneThatItIsKeptIn(t *testing.T) {
	first := startBilling(t)
	first.as("manager").post("/rest/invoice", bill(nil)).wants(200)
	first.paidOn(1, "2023-12-31 23:30:00+00")
	first.execute("update clients set created_at = '2023-12-31 23:30:00+00' where id = 1")
	for _, in := range []struct{ zone, instant, year, month, otherYear, otherMonth string }{
		{"UTC", "2023-12-31 23:30:00", "2023", "12", "2024", "1"},
		{"Europe/Berlin", "2024-01-01 00:30:00", "2024", "1", "2023", "12"},
		{"America/New_York", "2023-12-31 18:30:00", "2023", "12", "2024", "1"},
	} {
		t.Run(in.zone, func(t *testing.T) {
			if err := postgres.SetZone(t.Context(), first.database, in.zone); err != nil {
				t.Fatal(err)
			}
			s := first.again(t, func(c *bootstrap.Config) { c.TimeZone = in.zone })
			manager := s.as("manager")
			if got := text(manager.get("/rest/client/1").record()["created_at"]); got != in.instant {
				t.Errorf("the client is created at %s, want %s", got, in.instant)
			}
			if got := text(manager.get("/rest/invoice/1").record()["paid_on"]); got != in.instant {
				t.Errorf("the invoice is paid on %s, want %s", got, in.instant)
			}
			for query, want := range map[string]string{
				"paid_year=" + in.year:        "1",
				"paid_month=" + in.month:      "1",
				"paid_year=" + in.otherYear:   "",
				"paid_month=" + in.otherMonth: "",
			} {
				if got := strings.Join(manager.get("/rest/invoice?"+query).column("id"), " "); got != want {
					t.Errorf("%s finds %q, want %q", query, got, want)
				}
			}
		})
	}
}

// contract 10.7
func TestTheDateOfAnInvoiceIsOfNoZone(t *testing.T) {
	s := startBilling(t, func(c *bootstrap.Config) { c.TimeZone = "Europe/Berlin" })
	manager := s.as("manager")
	for sent, want := range map[string]string{
		"2023-12-31T23:30:00Z":      "2023-12-31 23:30:00",
		"2023-12-31T23:30:00+09:00": "2023-12-31 23:30:00",
		"2023-12-31T23:30:00-05:00": "2023-12-31 23:30:00",
		"2023-12-31 23:30:00":       "2023-12-31 23:30:00",
	} {
		record := manager.post("/rest/invoice", bill(fields{"date": sent})).record()
		if got := text(record["date"]); got != want {
			t.Errorf("the date %s is shown as %s, want %s", sent, got, want)
		}
	}
	if got := len(manager.get("/rest/invoice?year=2023&month=12").items()); got != 4 {
		t.Errorf("%d invoices are of December 2023, want all 4", got)
	}
}
