package invoice

import (
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

// DraftNumber is the number of an invoice of a series until it is issued.
func DraftNumber(id ID) string { return performer.DraftPattern.Number(0, int64(id)) }

// IsDraft reports whether the invoice has no number of its own yet.
func (s State) IsDraft() bool { return !s.isIssued() && s.Number == DraftNumber(s.ID) }

func (s State) isIssued() bool { return !s.IssuedOn.IsZero() }

// Prepaid returns what payments other than the automatic one have paid of an invoice that has the number of a draft, be it issued or
// not. Credit notes have nothing prepaid.
func (s State) Prepaid() money.Amount {
	if s.Credits != 0 || s.Number != DraftNumber(s.ID) {
		return money.Amount{}
	}
	return s.PaidPrice.Minus(s.AutomaticPrice)
}

// Issue issues the invoice, with that date if it is given. A due date that is the payment days after the date, as DueAfter sets it,
// moves with the date, and so does the last day of a discount for early payment, which must not be before it. From then on only its
// payment, its closing and notice change. The caller then has to call SetNumber. An invoice without lines is a fault.Invalid, one that
// is issued, closed or cancelled a fault.Conflict.
func (inv *Invoice) Issue(date domain.Optional[time.Time], paymentDays *int32, early party.Discount, at time.Time) error {
	var c fault.Collector
	next := inv.State()
	next.Date = civil.Required(&c, "date", date, next.Date)
	if paymentDays != nil && next.DueDate.Equal(dueAfter(inv.state.Date, *paymentDays)) {
		if due := dueAfter(next.Date, *paymentDays); civil.InRange(due) {
			next.DueDate = due
		}
	}
	next.moveEarly(inv.state.Date, early)
	next.checkEarly(&c)
	if next.TotalCount == 0 {
		c.Coded(fault.Required, "items", "must not be empty: an invoice without lines cannot be issued")
	}
	if err := c.Err(); err != nil {
		return err
	}
	switch {
	case next.isIssued():
		return fault.New(fault.Conflict, "the invoice is issued: it cannot be issued again").Coded(fault.Frozen)
	case next.Status.frozen():
		return fault.New(fault.Conflict, "the invoice is %s: it cannot be issued", next.Status.adjective()).Coded(fault.Frozen)
	}
	next.UpdatedOn = next.stamp(at)
	next.IssuedOn = next.UpdatedOn
	inv.state = next
	return nil
}

// SetNumber sets the number that was drawn for an issued invoice.
func (inv *Invoice) SetNumber(number string) { inv.state.Number = number }
