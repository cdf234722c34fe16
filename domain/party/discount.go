package party

import (
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
)

// Discount is that for who pays within some days of the date of an invoice. The zero value is none.
type Discount struct {
	Percent money.Percent
	Days    int32
}

// checkDiscount checks the discount for early payment, which has a percentage and days, or neither.
func (s *State) checkDiscount(c *fault.Collector, before State) {
	days, isLimited := s.DiscountDays.Get()
	switch {
	case isLimited && (days < 0 || days > MaxPaymentDays):
		c.Coded(fault.OutOfRange, "discount_days", "must be from 0 to %d", MaxPaymentDays)
	case isLimited && s.DiscountPercent.IsZero():
		c.Coded(fault.Required, "discount_percent", "is required with discount_days")
	case !isLimited && !s.DiscountPercent.IsZero():
		c.Coded(fault.Required, "discount_days", "is required with discount_percent")
	default:
		return
	}
	s.DiscountPercent, s.DiscountDays = before.DiscountPercent, before.DiscountDays
}
