// Package civil parses and validates civil times: dates and times without a time
// zone, to the second, such as the date of an invoice. They are time.Time values
// in UTC; the zero time means missing.
package civil

import (
	"errors"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
)

// ErrNotDate is the error of Parse; its text lists the accepted formats.
var ErrNotDate = errors.New("must be a date: YYYY-MM-DD, YYYY-MM-DD hh:mm:ss or RFC 3339")

// The first and last years that are accepted.
const (
	minYear = 1900
	maxYear = 9999
)

// local is the layout of RFC 3339 without an offset.
const local = "2006-01-02T15:04:05"

// Parse parses YYYY-MM-DD, YYYY-MM-DD hh:mm:ss or RFC 3339, with or without its
// offset, or returns ErrNotDate. A UTC offset and fractions of a second are discarded: 10:00+02:00
// is 10:00. Parse accepts any year; Optional and Required check it.
func Parse(s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	layout, clock := "", len(s)
	switch {
	case len(s) == len(time.DateOnly):
		layout = time.DateOnly
	case len(s) == len(time.DateTime) && s[len(time.DateOnly)] == ' ':
		layout = time.DateTime
	case strings.Contains(s, ","): // which the parser would take for a point
	case len(s) >= len(local) && !strings.ContainsAny(s[len(time.DateOnly):], "Zz+-"):
		layout, clock = local, len(local)
	default:
		layout, clock = time.RFC3339, len(local)
	}
	t, err := time.Parse(layout, strings.ToUpper(s))
	// The parser would also take an hour of one digit, and spaces before it.
	if err != nil || !strings.EqualFold(t.Format(layout[:clock]), s[:clock]) {
		return time.Time{}, ErrNotDate
	}
	return shown(t), nil
}

// shown returns the date and time of t in its own location, as UTC.
func shown(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// InRange reports whether the year of a date is one that a date may have.
func InRange(t time.Time) bool { return t.Year() >= minYear && t.Year() <= maxYear }

// Optional returns the new value of an optional date: old if sent is absent,
// else sent, truncated to the second. The zero time removes the date. A year out
// of range is reported to c under the name.
func Optional(c *fault.Collector, name string, sent domain.Optional[time.Time], old time.Time) time.Time {
	t, ok := sent.Get()
	switch {
	case !ok:
		return old
	case t.IsZero():
		return time.Time{}
	case !InRange(t):
		c.Coded(fault.OutOfRange, name, "must be in the years %d to %d", minYear, maxYear)
		return old
	}
	return shown(t)
}

// Required is like Optional, but reports a missing date.
func Required(c *fault.Collector, name string, sent domain.Optional[time.Time], old time.Time) time.Time {
	t, ok := sent.Get()
	switch {
	case !ok && old.IsZero():
		c.Coded(fault.Required, name, "is required")
		return old
	case ok && t.IsZero():
		c.Coded(fault.Required, name, "must not be empty")
		return old
	}
	return Optional(c, name, sent, old)
}
