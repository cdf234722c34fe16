package invoice

import (
	"time"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
)

// cents is the number of fraction digits of what is owed and paid.
const cents = 2

// owedOf returns what is owed of an invoice with that amount to pay, or of a credit note after former ones, such that all parts of an
// invoice have the sum that the whole has.
func owedOf(pay, former money.Amount) money.Amount {
	return former.Plus(pay).RoundTo(cents).Minus(former.RoundTo(cents))
}

// Due returns what is due, or, less than 0, is to be paid back. Nothing is due of a cancelled invoice.
func (s State) Due() money.Amount {
	if s.Status == Cancelled {
		return money.Amount{}
	}
	return s.OwedPrice.Minus(s.PaidPrice).Minus(s.WaivedPrice)
}

// settled returns what payments other than the automatic one settle.
func (s State) settled() money.Amount { return s.PaidPrice.Plus(s.WaivedPrice).Minus(s.AutomaticPrice) }

// hasMoney reports whether something is paid or waived, other than set off.
func (s State) hasMoney() bool { return !s.PaidPrice.Equal(s.SetOffPrice) || !s.WaivedPrice.IsZero() }

func (s State) withAutomatic(a money.Amount) State {
	s.PaidPrice = s.PaidPrice.Minus(s.AutomaticPrice).Plus(a)
	s.AutomaticPrice = a
	return s
}

// paying returns the state with the automatic payment that its status requests, or else with the status that follows from what is due
// now. Where the amount changes, an automatic payment follows it; without one, an invoice that others have paid is paid no longer.
// Where nothing is owed, whether it is paid is what a writer says.
func (s State) paying(before State, at time.Time) State {
	left := s.OwedPrice.Minus(s.settled())
	wasPaid, isPaid := before.Status.Paid(), s.Status.Paid()
	switch {
	case wasPaid && !isPaid, s.Status == Cancelled:
		return s.withAutomatic(money.Amount{})
	case isPaid && (!wasPaid || !before.AutomaticPrice.IsZero() || before.settled().IsZero()):
		return s.withAutomatic(left)
	case s.OwedPrice.Equal(before.OwedPrice):
		return s
	case !s.AutomaticPrice.IsZero() && s.AutomaticPrice.Exceeds(left):
		s = s.withAutomatic(left)
	}
	return s.paidIfNothingIsDue(at)
}

func (s State) paidIfNothingIsDue(at time.Time) State {
	switch isDue := !s.Due().IsZero(); {
	case isDue && s.Status == Paid:
		return s.enter(NotPaid, at)
	case !isDue && s.Status == NotPaid && !s.OwedPrice.IsZero():
		return s.enter(Paid, at)
	}
	return s
}

// checkPayments returns a fault.Conflict if the change, by which the invoice comes to be next, is not possible because of payments
// other than the automatic one.
func (s State) checkPayments(next State) error {
	settled := next.settled()
	isAnothers := next.PerformerID != s.PerformerID || next.Currency != s.Currency
	isUnpaid := s.Status.Paid() && !next.Status.Paid() && (!settled.Equal(next.SetOffPrice) || settled.Equal(next.OwedPrice))
	switch {
	case settled.IsZero():
		return nil
	case (isUnpaid || next.Status == Cancelled || isAnothers) && s.Status != Cancelled:
		return fault.New(fault.Conflict, "payments settle %s of the invoice: take that back first", settled.Fixed(cents)).Coded(fault.HasPayments)
	case !next.OwedPrice.Equal(s.OwedPrice) && settled.Exceeds(next.OwedPrice):
		return fault.New(fault.Conflict, "payments settle %s of the invoice, more than it would come to", settled.Fixed(cents)).
			Coded(fault.Allocated)
	}
	return nil
}

// Allocation is what an item of a payment settles of an invoice, in place of what it has settled before. Field is blamed for it.
type Allocation struct {
	Field        string
	Paid, Waived money.Amount
	IsSetOff     bool        // the payment is no money
	Before       *Allocation // nil: nothing
}

func (a *Allocation) amounts() (paid, waived, setOff money.Amount) {
	if a == nil {
		return paid, waived, setOff
	}
	if a.IsSetOff {
		setOff = a.Paid
	}
	return a.Paid, a.Waived, setOff
}

// Allocate settles more of the invoice, or less. What is due stays between nothing and what is owed, and so does what is paid and what
// is waived, without the automatic payment: else the error is a fault.Invalid. What is settled of a closed or cancelled invoice cannot
// change: fault.Conflict.
func (inv *Invoice) Allocate(a Allocation, at time.Time) error {
	s := inv.state
	switch s.Status {
	case Closed:
		return fault.New(fault.Conflict, "the invoice %d is closed: open it first (closed = 0)", s.ID).Coded(fault.Closed)
	case Cancelled:
		return fault.New(fault.Conflict, "the invoice %d is cancelled", s.ID).Coded(fault.Cancelled)
	}
	paid, waived, setOff := a.Before.amounts()
	s.PaidPrice, s.WaivedPrice, s.SetOffPrice = s.PaidPrice.Minus(paid), s.WaivedPrice.Minus(waived), s.SetOffPrice.Minus(setOff)
	due := s.OwedPrice.Minus(s.PaidPrice).Minus(s.WaivedPrice)
	paid, waived, setOff = a.amounts()
	s.PaidPrice, s.WaivedPrice, s.SetOffPrice = s.PaidPrice.Plus(paid), s.WaivedPrice.Plus(waived), s.SetOffPrice.Plus(setOff)
	isOf := func(a money.Amount) bool { return a.IsZero() || !a.Exceeds(s.OwedPrice) }
	switch added := a.Paid.Plus(a.Waived); {
	case isOf(s.PaidPrice.Minus(s.AutomaticPrice)) && isOf(s.WaivedPrice) && isOf(s.PaidPrice.Plus(s.WaivedPrice)):
	case !added.IsZero() && added.IsNegative() == s.OwedPrice.IsNegative() && added.Exceeds(due) || s.OwedPrice.IsZero():
		return invalid(a.Field, fault.OverAllocated, "must not exceed %s, which is due on invoice %d", due.Fixed(cents), s.ID)
	default:
		return invalid(a.Field, fault.Sign, "takes back more than payments have settled of invoice %d", s.ID)
	}
	s = s.paidIfNothingIsDue(at)
	s.UpdatedOn = s.stamp(at)
	inv.state = s
	return nil
}

func invalid(field string, code fault.Code, format string, args ...any) error {
	return fault.As(fault.ForField(fault.Invalid, field, format, args...)).Coded(code)
}
