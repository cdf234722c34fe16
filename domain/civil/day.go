package civil

import (
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
)

// CheckDay reports a text that is no day as YYYY-MM-DD; it is then as before. An empty one is none.
func CheckDay(c *fault.Collector, name string, day *string, before string) {
	if *day == "" {
		return
	}
	if at, err := time.Parse(time.DateOnly, *day); err != nil || !InRange(at) {
		c.Add(name, "must be a date from 1900 on: YYYY-MM-DD")
		*day = before
	}
}

// Period is a first and a last day, as YYYY-MM-DD; "" for none.
type Period struct{ From, To string }

// CheckPeriod reports wrong days of the attributes period_from and period_to, and a last one before the first one; the period is
// then as before.
func CheckPeriod(c *fault.Collector, prefix string, p, before Period) Period {
	CheckDay(c, prefix+"period_from", &p.From, before.From)
	CheckDay(c, prefix+"period_to", &p.To, before.To)
	if p.From != "" && p.To != "" && p.To < p.From {
		c.Coded(fault.OutOfRange, prefix+"period_to", "must not be before period_from")
		return before
	}
	return p
}
