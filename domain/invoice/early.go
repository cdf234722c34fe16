package invoice

import (
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/party"
)

// DiscountedAfter returns the attributes of a new invoice: if they have nothing of a discount for early payment, with that one.
func (a Attributes) DiscountedAfter(e party.Discount) Attributes {
	date, ok := a.Date.Get()
	if a.EarlyRate.IsSet() || a.EarlyUntil.IsSet() || e.Percent.IsZero() || !ok || date.IsZero() {
		return a
	}
	if until := dueAfter(date, e.Days); civil.InRange(until) {
		a.EarlyRate, a.EarlyUntil = domain.Some(e.Percent), domain.Some(until)
	}
	return a
}

// applyEarly sets the discount for early payment, after the date.
func (s *State) applyEarly(c *fault.Collector, a Attributes) {
	percent := a.EarlyRate.Or(s.EarlyRate)
	until := civil.Optional(c, "discount_until", a.EarlyUntil, s.EarlyUntil).Truncate(24 * time.Hour)
	switch {
	case percent.IsZero() && !until.IsZero():
		c.Coded(fault.Required, "discount_percent_early", "is required with discount_until")
	case !percent.IsZero() && until.IsZero():
		c.Coded(fault.Required, "discount_until", "is required with discount_percent_early")
	default:
		s.EarlyRate, s.EarlyUntil = percent, until
		s.checkEarly(c)
	}
}

// checkEarly reports a discount for early payment that ends before the date.
func (s *State) checkEarly(c *fault.Collector) {
	if !s.EarlyUntil.IsZero() && s.EarlyUntil.Before(s.Date.Truncate(24*time.Hour)) {
		c.Coded(fault.OutOfRange, "discount_until", "must not be before the date")
	}
}

// moveEarly moves a discount for early payment that ends as DiscountedAfter sets it from the former date of the invoice to its date.
func (s *State) moveEarly(former time.Time, e party.Discount) {
	if e.Percent.IsZero() || !s.EarlyUntil.Equal(dueAfter(former, e.Days)) {
		return
	}
	if until := dueAfter(s.Date, e.Days); civil.InRange(until) {
		s.EarlyUntil = until
	}
}
