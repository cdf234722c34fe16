package command

import (
	"context"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/payment"
)

// settled is an invoice that is changed together with the one of a request, of which alone the rules judge the change.
type settled struct {
	inv    *invoice.Invoice
	before invoice.State
}

// asLocked returns the invoices, which have not changed since they were locked.
func asLocked(locked []*invoice.Invoice) []settled {
	all := make([]settled, len(locked))
	for i, inv := range locked {
		all[i] = settled{inv, inv.State()}
	}
	return all
}

// family is an invoice with all its credit notes, locked in this order, which is that of their ids.
type family struct {
	credited *invoice.Invoice // nil: they are not locked
	notes    []*invoice.Invoice
	isLeft   bool // something is left of the invoice
}

func lockFamily(ctx context.Context, w work, credited *invoice.Invoice) (f family, err error) {
	f.credited = credited
	f.notes, f.isLeft, err = w.Invoices.LockCredits(ctx, credited.State().ID)
	return f, err
}

// lockFamilyOf locks what comes before the invoice with the id in the order of locks, if it is a credit note.
func lockFamilyOf(ctx context.Context, w work, id invoice.ID) (f family, err error) {
	credited, err := w.Invoices.LockCredited(ctx, id)
	if err != nil || credited == nil {
		return f, err
	}
	return lockFamily(ctx, w, credited)
}

// settle settles an invoice with its credit notes if one of them, inv, is no longer paid. The family is locked already if inv is a
// credit note. It returns the others.
func settle(ctx context.Context, w work, f family, before invoice.State, inv *invoice.Invoice) (others []settled, err error) {
	now := inv.State()
	if !before.Status.Paid() || now.Status.Paid() || now.IssuedOn.IsZero() {
		return nil, nil
	}
	if f.credited == nil {
		if f, err = lockFamily(ctx, w, inv); err != nil {
			return nil, err
		}
	}
	isOther := func(other *invoice.Invoice) bool { return other.State().ID != now.ID }
	for i, n := range f.notes {
		if !isOther(n) {
			f.notes[i] = inv
		}
	}
	if len(f.notes) == 0 {
		return nil, nil
	}
	others = slices.DeleteFunc(asLocked(append(slices.Clone(f.notes), f.credited)), func(s settled) bool { return !isOther(s.inv) })
	f.credited.SetOff(f.notes, w.At)
	if !f.isLeft {
		f.credited.Settle(f.notes, w.At)
	}
	return others, nil
}

// addSetOff adds the payment that sets off what the invoices, which have ids, now have set off against each other.
func addSetOff(ctx context.Context, w work, all []settled) error {
	var a payment.Attributes
	var items []payment.ItemAttributes
	for _, i := range all {
		s := i.inv.State()
		amount := s.SetOffPrice.Minus(i.before.SetOffPrice)
		if amount.IsZero() {
			continue
		}
		items = append(items, payment.ItemAttributes{InvoiceID: domain.Some(s.ID), Amount: domain.Some(amount)})
		if s.Date.After(a.Date.Or(time.Time{})) {
			a.Date = domain.Some(s.Date)
		}
		a.PerformerID, a.ClientID = domain.Some(s.PerformerID), domain.Some(s.ClientID)
	}
	if len(items) == 0 {
		return nil
	}
	a.Amount, a.Items = domain.Some(money.Amount{}), domain.Some(items)
	p, err := payment.New(a, w.At)
	if err != nil {
		return err
	}
	_, err = w.Payments.Add(ctx, p)
	return err
}

// saveSettled saves what has changed.
func (b base) saveSettled(ctx context.Context, w work, all []settled) error {
	for _, s := range all {
		after := s.inv.State()
		if invoice.Same(s.before, after) {
			continue
		}
		if _, err := w.Invoices.Save(ctx, s.inv); err != nil {
			return err
		}
		stored(b, w, rule.Invoices, rule.Change[invoice.State]{Before: &s.before, After: &after, Cause: rule.Requested})
	}
	return nil
}
