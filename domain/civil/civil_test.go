package civil_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
)

func TestParseKeepsTheCivilTime(t *testing.T) { // contract 10.7
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	clock := time.Date(2024, 2, 29, 23, 5, 7, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"2024-02-29":                     day,
		" 2024-02-29 ":                   day,
		"2024-02-29 23:05:07":            clock,
		"2024-02-29T23:05:07Z":           clock,
		"2024-02-29T23:05:07":            clock,
		"2024-02-29t23:05:07.123456":     clock,
		"2024-02-29t23:05:07z":           clock,
		"2024-02-29T23:05:07+09:00":      clock,
		"2024-02-29T23:05:07-11:30":      clock,
		"2024-02-29T23:05:07.999999Z":    clock,
		"2024-02-29T23:05:07.5+14:00":    clock,
		"0001-01-02":                     time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), // Optional rejects the year
		"9999-12-31T23:59:59.999999999Z": time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	} {
		if got, err := civil.Parse(in); got != want || err != nil {
			t.Errorf("Parse(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
}

func TestParseRejectsInvalidDates(t *testing.T) { // contract 10.7
	for _, in := range []string{
		"", " ", "today", "2024", "2024-2-29", "29.02.2024", "2023-02-29", "2024-13-01", "2024-02-30", "2024-00-10",
		"2024-02-29 24:00:00", "2024-02-29 23:60:00", "2024-02-29 9:05:07", "2024-02-29 23:05", "2024-02-29T23:05", "2024-02-29T9:05:07.5",
		"2024-02-29T9:05:07+01:00", "2024-02-29 23:05:07 UTC", "2024-02-29T23:05:07+0100", "10000-01-01", "-024-02-29",
		"1709247907", "2024-02-29 23:05:07.5",
	} {
		if got, err := civil.Parse(in); !errors.Is(err, civil.ErrNotDate) {
			t.Errorf("Parse(%q) = %v, %v", in, got, err)
		}
	}
}

// contract 10.7, 7.20, 3.3
func TestOptionalDateIsKeptChangedRemovedOrRejected(t *testing.T) {
	stored := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	moved := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		sent               domain.Optional[time.Time]
		old                time.Time
		optional, required time.Time
		errors             [2]string // of Optional and of Required
	}{
		"nothing sent":          {domain.Optional[time.Time]{}, stored, stored, stored, [2]string{"<nil>", "<nil>"}},
		"nothing sent or there": {domain.Optional[time.Time]{}, time.Time{}, time.Time{}, time.Time{}, [2]string{"<nil>", "invalid: day is required"}},
		"taken away":            {domain.Some(time.Time{}), stored, time.Time{}, stored, [2]string{"<nil>", "invalid: day must not be empty"}},
		"moved":                 {domain.Some(moved), stored, moved, moved, [2]string{"<nil>", "<nil>"}},
		"with a zone and a fraction": {
			domain.Some(time.Date(1900, 1, 1, 0, 0, 0, 999, time.FixedZone("", 3600))), stored, moved, moved, [2]string{"<nil>", "<nil>"},
		},
		"too early": {domain.Some(moved.Add(-time.Second)), stored, stored, stored, years},
		"the last":  {domain.Some(afterAll.Add(-1)), stored, afterAll.Add(-time.Second), afterAll.Add(-time.Second), [2]string{"<nil>", "<nil>"}},
		"too late":  {domain.Some(afterAll), stored, stored, stored, years},
	} {
		t.Run(name, func(t *testing.T) {
			var c fault.Collector
			if got := civil.Optional(&c, "day", tt.sent, tt.old); got != tt.optional || fmt.Sprint(c.Err()) != tt.errors[0] {
				t.Errorf("optional: %v, %v", got, c.Err())
			}
			c = fault.Collector{}
			if got := civil.Required(&c, "day", tt.sent, tt.old); got != tt.required || fmt.Sprint(c.Err()) != tt.errors[1] {
				t.Errorf("required: %v, %v", got, c.Err())
			}
		})
	}
}

var (
	afterAll = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	years    = [2]string{"invalid: day must be in the years 1900 to 9999", "invalid: day must be in the years 1900 to 9999"}
)
