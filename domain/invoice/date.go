package invoice

import (
	"errors"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
)

// ErrNotDate says how a date may be written.
var ErrNotDate = errors.New("must be a date: YYYY-MM-DD, YYYY-MM-DD hh:mm:ss or RFC 3339")

// The years that an invoice's date may be in.
const (
	minYear = 1900
	maxYear = 9999
)

// ParseDate reads an invoice's date: a day, a day and a time, or RFC 3339. It is
// what the writer's calendar and clock show, so an offset is dropped and not
// reckoned with, and so is a fraction of a second. The result is in UTC; which
// years are allowed is New's and Update's concern.
func ParseDate(s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	layout := ""
	switch {
	case len(s) == len(time.DateOnly):
		layout = time.DateOnly
	case len(s) == len(time.DateTime):
		layout = time.DateTime
	case len(s) > len(time.DateTime) && s[13] == ':': // the parser would take an hour of one digit
		layout = time.RFC3339
		s = strings.ToUpper(s)
	}
	t, err := time.Parse(layout, s)
	if layout == "" || err != nil {
		return time.Time{}, ErrNotDate
	}
	return wallClock(t), nil
}

// wallClock is what a clock shows at t where t is, as if it stood in UTC.
func wallClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

func applyDate(c *fault.Collector, old time.Time, sent optional.Of[time.Time]) time.Time {
	t, ok := sent.Get()
	switch {
	case !ok && old.IsZero():
		c.Add("date", "is required")
	case ok && t.IsZero():
		c.Add("date", "must not be empty")
	case ok && (t.Year() < minYear || t.Year() > maxYear):
		c.Add("date", "must be in the years %d to %d", minYear, maxYear)
	case ok:
		return wallClock(t)
	}
	return old
}
