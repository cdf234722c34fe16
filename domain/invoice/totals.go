package invoice

import (
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/performer"
)

// withAmounts is the state under these terms, with the amounts computed from them
// and from the lines. This is the only place where an invoice's amounts are computed.
// If one of them is too large to be stored, the field blamed is wrong.
func (s State) withAmounts(c *fault.Collector, t performer.Terms, blamed string) State {
	var total money.Amount
	for _, l := range s.Lines {
		total = total.Plus(l.Total)
	}
	s.Terms = t
	s.TotalCount = len(s.Lines)
	s.TotalPrice = total
	s.VATPrice = t.VAT(total)
	s.PayPrice = total.Plus(s.VATPrice)
	if !s.PayPrice.Storable() { // the largest of the three in size, as VAT has the sign of the total
		c.Add(blamed, "would make the invoice's total or amount to pay too large: it %s", money.ErrHuge)
	}
	return s
}
