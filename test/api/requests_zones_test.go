package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// moment is an instant in UTC and its civil time in a zone.
type moment struct{ utc, shown string }

// calendars are zones with instants, oldest first, around the start of days, months
// and years and around clock changes.
var calendars = map[string][]moment{
	"Europe/Berlin": {
		{"2023-12-31T22:59:59.999999Z", "2023-12-31 23:59:59"},
		{"2023-12-31T23:00:00Z", "2024-01-01 00:00:00"},
		{"2024-03-31T00:59:59.999999Z", "2024-03-31 01:59:59"},
		{"2024-03-31T01:00:00Z", "2024-03-31 03:00:00"}, // the hour from two to three is skipped
		{"2024-10-27T00:30:00Z", "2024-10-27 02:30:00"},
		{"2024-10-27T00:59:59.999999Z", "2024-10-27 02:59:59"},
		{"2024-10-27T01:00:00Z", "2024-10-27 02:00:00"}, // the hour from two to three repeats
		{"2024-10-27T01:30:00Z", "2024-10-27 02:30:00"},
		{"2024-10-31T22:59:59.999999Z", "2024-10-31 23:59:59"},
		{"2024-10-31T23:00:00Z", "2024-11-01 00:00:00"},
	},
	"Pacific/Apia": {
		{"2011-12-30T09:59:59.999999Z", "2011-12-29 23:59:59"},
		{"2011-12-30T10:00:00Z", "2011-12-31 00:00:00"}, // the 30th is skipped
		{"2011-12-31T09:59:59.999999Z", "2011-12-31 23:59:59"},
		{"2011-12-31T10:00:00Z", "2012-01-01 00:00:00"},
	},
	"Australia/Lord_Howe": { // clocks change by half an hour
		{"2023-12-31T12:59:59.999999Z", "2023-12-31 23:59:59"},
		{"2023-12-31T13:00:00Z", "2024-01-01 00:00:00"},
		{"2024-04-06T14:45:00Z", "2024-04-07 01:45:00"},
		{"2024-04-06T15:15:00Z", "2024-04-07 01:45:00"},
	},
	"America/Asuncion": {
		{"2023-10-01T03:59:59.999999Z", "2023-09-30 23:59:59"},
		{"2023-10-01T04:00:00Z", "2023-10-01 01:00:00"}, // the month begins at one o'clock
		{"2024-03-24T02:59:59.999999Z", "2024-03-23 23:59:59"},
		{"2024-03-24T03:00:00Z", "2024-03-23 23:00:00"}, // this day has 25 hours
	},
}

// contract 4.15, 4.77, 4.84, 10.1, 10.97
func TestInstantsInEveryTimeZone(t *testing.T) {
	t.Parallel()
	for zone, moments := range calendars {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			s, clock := startWithClock(t, func(c *bootstrap.Config) { c.TimeZone = zone })
			manager := s.as("manager")
			deal := manager.post("/rest/deal", fields{"name": "d", "client_id": 1}).wants(http.StatusOK).record()["id"]
			var invoices []creationTime
			months := map[string][]string{}
			for _, m := range slices.Backward(moments) { // the clock goes back, so the ids are in the other order
				clock.set(instantOf(t, m.utc))
				record := manager.post("/rest/invoice", bill(fields{"deal_id": deal, "paid": true})).record()
				for _, name := range []string{"created_on", "updated_on", "paid_on"} {
					if got := text(record[name]); got != m.shown {
						t.Errorf("at %s the invoice has %s %s, want %s", m.utc, name, got, m.shown)
					}
				}
				id := text(record["id"])
				invoices = append(invoices, creationTime{id, clock.Now()})
				month := "paid_year=" + m.shown[:4] + "&paid_month=" + strings.TrimPrefix(m.shown[5:7], "0")
				months[month] = append(months[month], id)
				months["paid_year="+m.shown[:4]] = append(months["paid_year="+m.shown[:4]], id)
			}
			finds := func(when string) {
				t.Helper()
				s.traverses("/rest/invoice", newestFirst(invoices))
				for query, want := range months {
					r := manager.get("/rest/invoice?sort=id&" + query)
					if diff := cmp.Diff(want, r.column("id")); diff != "" {
						t.Errorf("%s, %s: -want +got\n%s", when, query, diff)
					}
					if got := r.header.Get("X-Pagination-Total-Count"); got != text(len(want)) {
						t.Errorf("%s, %s: the total is %s, want %d", when, query, got, len(want))
					}
				}
			}
			finds("before folding")
			s.verifyReadModels()
			finds("after folding")
			s.rebuild()
			finds("after a rebuild")
		})
	}
}

func instantOf(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// contract 10.1, 10.7, 10.97
func TestDatesAreCivilTimeInEveryTimeZone(t *testing.T) {
	t.Parallel()
	s := startBilling(t, func(c *bootstrap.Config) { c.TimeZone = "Pacific/Apia" })
	manager := s.as("manager")
	for sent, want := range map[string]string{
		"2024-02-29":                       "2024-02-29 00:00:00",
		"2024-02-29T23:59:59.999999+13:00": "2024-02-29 23:59:59",
		"2000-02-29 23:59:59":              "2000-02-29 23:59:59",
		"2011-12-30":                       "2011-12-30 00:00:00", // skipped in Apia
		"2024-03-31 02:30:00":              "2024-03-31 02:30:00",
	} {
		record := manager.post("/rest/invoice", bill(fields{"date": sent})).record()
		if got := text(record["date"]); got != want {
			t.Errorf("the date %s is shown as %s, want %s", sent, got, want)
		}
	}
	for _, sent := range []string{"2100-02-29", "2023-02-29", "1900-02-29 00:00:00", "2024-02-30", "2024-02-29 24:00:00", "2016-12-31 23:59:60"} {
		if got := manager.post("/rest/invoice", bill(fields{"date": sent})).wrongFields(); !cmp.Equal(got, []string{"date"}) {
			t.Errorf("the date %s: wrong fields %v", sent, got)
		}
	}
	for query, want := range map[string]int{"year=2024&month=2": 2, "month=2": 3, "year=2024": 3, "year=2011&month=12": 1, "month=3": 1} {
		if got := len(manager.get("/rest/invoice?" + query).items()); got != want {
			t.Errorf("%s finds %d invoices, want %d", query, got, want)
		}
	}
}
