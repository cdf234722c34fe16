package civil_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

// contract 10.7
func FuzzParseGivesTheDateOfTheDigits(f *testing.F) {
	fuzzseed.Texts(f,
		"2024-02-29", " 2023-02-29 ", "2024-02-29 23:05:07", "2024-02-29 24:00:00", "2024-02-29T23:05:07Z", "2024-02-29t23:05:07.5z", "2024-02-29T23:05:07+09:00", "2024-02-29T23:05:07-11:30", "2024-02-29T23:05:60Z",
		"1900-01-01", "1899-12-31", "9999-12-31", "9999-12-31T23:59:59.999999999-23:59", "10000-01-01", "0000-01-01", "0001-01-01", "292277026596-12-04", "2024-02-29T23:05:07,5Z", "2024-02-29T23:05:07+24:00",
		"2024-02-29T9:05:07Z", "2024-13-01", "2024-00-10", "2024-1-1", "24-01-01", "-024-02-29", "2024-02-29 23:05", "2024-02-29T23:05:07", "2024-02-29T23:05:07.5", "2024-02-29T9:05:07.25", "2024-02-29 23:05:07.5", "20240229", "1709247907", "today", "", "2024-02-29  9:05:07", strings.Repeat("\u0131", 11),
	)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := civil.Parse(text)
		want, ok := clock(text)
		if ok != (err == nil) || ok && !got.Equal(want) {
			t.Fatalf("%q is %v, %v; want %v, %v", text, got, err, want, ok)
		}
		if !ok {
			return
		}
		if again, err := civil.Parse(got.Format(time.DateTime)); err != nil || again != got {
			t.Errorf("%v comes back as %v, %v", got, again, err)
		}
		var c fault.Collector
		isAllowed := want.Year() >= 1900 && want.Year() <= 9999
		if stored := civil.Required(&c, "date", domain.Some(got), time.Time{}); isAllowed != (c.Err() == nil) || isAllowed && stored != got {
			t.Errorf("%v is stored as %v, %v", got, stored, c.Err())
		}
	})
}

var written = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)|[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):(\d\d))?)?$`)

// clock reads a date by its digits alone. time.Date moves what no calendar or clock
// shows to another day or hour: then it is no date.
func clock(text string) (time.Time, bool) {
	parts := written.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return time.Time{}, false
	}
	n := make([]int, len(parts))
	for i, part := range parts[1:] {
		n[i+1], _ = strconv.Atoi(part)
	}
	hour, minute, second := n[4]+n[7], n[5]+n[8], n[6]+n[9]
	t := time.Date(n[1], time.Month(n[2]), n[3], hour, minute, second, 0, time.UTC)
	isShown := t.Year() == n[1] && int(t.Month()) == n[2] && t.Day() == n[3] && t.Hour() == hour && t.Minute() == minute && t.Second() == second
	return t, isShown && n[10] <= 24 && n[11] < 60
}
