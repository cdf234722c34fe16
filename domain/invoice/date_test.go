package invoice_test

import (
	"errors"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/invoice"
)

func TestParseDate(t *testing.T) { // contract 10.7
	day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
	clock := time.Date(2024, 2, 29, 23, 5, 7, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"2024-02-29":                     day,
		" 2024-02-29 ":                   day,
		"2024-02-29 23:05:07":            clock,
		"2024-02-29T23:05:07Z":           clock,
		"2024-02-29t23:05:07z":           clock,
		"2024-02-29T23:05:07+09:00":      clock,
		"2024-02-29T23:05:07-11:30":      clock,
		"2024-02-29T23:05:07.999999Z":    clock,
		"2024-02-29T23:05:07.5+14:00":    clock,
		"0001-01-02":                     time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), // New refuses the year
		"9999-12-31T23:59:59.999999999Z": time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	} {
		if got, err := invoice.ParseDate(in); got != want || err != nil {
			t.Errorf("ParseDate(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
}

func TestWhatIsNoDateIsRefused(t *testing.T) { // contract 10.7
	for _, in := range []string{
		"", " ", "today", "2024", "2024-2-29", "29.02.2024", "2023-02-29", "2024-13-01", "2024-02-30", "2024-00-10",
		"2024-02-29 24:00:00", "2024-02-29 23:60:00", "2024-02-29 9:05:07", "2024-02-29 23:05", "2024-02-29T23:05:07",
		"2024-02-29T9:05:07+01:00", "2024-02-29 23:05:07 UTC", "2024-02-29T23:05:07+0100", "10000-01-01", "-024-02-29",
		"1709247907", "2024-02-29 23:05:07.5",
	} {
		if got, err := invoice.ParseDate(in); !errors.Is(err, invoice.ErrNotDate) {
			t.Errorf("ParseDate(%q) = %v, %v", in, got, err)
		}
	}
}
