// Package civil contains the rules for the dates on documents:
// what a calendar and a clock on the wall show, to the second and without a
// zone. They are stored in UTC; the zero time is a missing one.
package civil

import (
	"errors"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
)

// ErrNotDate says how a date may be written.
var ErrNotDate = errors.New("must be a date: YYYY-MM-DD, YYYY-MM-DD hh:mm:ss or RFC 3339")

// The years that a date may be in.
const (
	minYear = 1900
	maxYear = 9999
)

// Parse reads a date: a day, a day and a time, or RFC 3339. An offset is dropped
// and not reckoned with, and so is a fraction of a second. Which years are
// allowed is Optional's and Required's concern.
func Parse(s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	layout, clock := "", len(s)
	switch {
	case len(s) == len(time.DateOnly):
		layout = time.DateOnly
	case len(s) == len(time.DateTime):
		layout = time.DateTime
	case !strings.Contains(s, ","): // which the parser would take for a point
		layout, clock = time.RFC3339, len(time.DateTime)
	}
	t, err := time.Parse(layout, strings.ToUpper(s))
	// The parser would also take an hour of one digit, and spaces before it.
	if err != nil || !strings.EqualFold(t.Format(layout[:clock]), s[:clock]) {
		return time.Time{}, ErrNotDate
	}
	return shown(t), nil
}

// shown is what a clock shows at t where t is, as if it stood in UTC.
func shown(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// Optional is the new value of an optional date: the old one when the writer
// sent none, else what was sent, to the second. The zero time takes the date
// away.
func Optional(c *fault.Collector, name string, sent optional.Of[time.Time], old time.Time) time.Time {
	t, ok := sent.Get()
	switch {
	case !ok:
		return old
	case t.IsZero():
		return time.Time{}
	case t.Year() < minYear || t.Year() > maxYear:
		c.Add(name, "must be in the years %d to %d", minYear, maxYear)
		return old
	}
	return shown(t)
}

// Required is Optional for a date that may not be missing.
func Required(c *fault.Collector, name string, sent optional.Of[time.Time], old time.Time) time.Time {
	t, ok := sent.Get()
	switch {
	case !ok && old.IsZero():
		c.Add(name, "is required")
		return old
	case ok && t.IsZero():
		c.Add(name, "must not be empty")
		return old
	}
	return Optional(c, name, sent, old)
}
