package command

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/payment"
)

// settledInvoices are the locked invoices that a payment is for, by id. One that does not exist is left out.
type settledInvoices map[invoice.ID]settled

// lockSettled locks the invoices that a payment is for in one of these states, by id.
func lockSettled(ctx context.Context, w work, states ...payment.State) (settledInvoices, error) {
	var ids []invoice.ID
	for _, s := range states {
		for _, i := range s.Items {
			ids = append(ids, i.InvoiceID)
		}
	}
	all := settledInvoices{}
	if len(ids) == 0 {
		return all, nil
	}
	slices.Sort(ids)
	locked, err := w.Invoices.LockHeaders(ctx, slices.Compact(ids))
	for _, s := range asLocked(locked) {
		all[s.before.ID] = s
	}
	return all, err
}

// checkCurrency returns a fault.Invalid for items of invoices in several currencies. An invoice without one has that of the performer.
func (all settledInvoices) checkCurrency(ctx context.Context, w work, p payment.State) error {
	of := func(i payment.Item) string { return all[i.InvoiceID].before.Currency }
	isOther := func(i payment.Item) bool { return of(i) != of(p.Items[0]) }
	if !slices.ContainsFunc(p.Items, isOther) {
		return nil
	}
	own, err := w.Payments.Currency(ctx, p.PerformerID)
	if err != nil {
		return err
	}
	for n, i := range p.Items {
		if first, now := cmp.Or(of(p.Items[0]), own), cmp.Or(of(i), own); now != first {
			field := fmt.Sprintf("items[%d].invoice_id", n)
			return fault.As(fault.ForField(fault.Invalid, field, "is in %s, another currency than %s", now, first)).Coded(fault.Currency)
		}
	}
	return nil
}

// checkOne returns a fault.Dangling if the one invoice that a new payment is for does not exist.
func (all settledInvoices) checkOne(a payment.Attributes) error {
	if id := a.InvoiceID.Or(0); id == 0 || all == nil || all[id].inv != nil {
		return nil
	}
	return fault.ForField(fault.Dangling, "invoice_id", fault.DoesNotExist)
}

// states returns those of the invoices that the payment is for, in its order, that have the currency of the first.
func (all settledInvoices) states(p payment.State) (states []invoice.State) {
	for _, i := range p.Items {
		if s, ok := all[i.InvoiceID]; ok && (len(states) == 0 || s.before.Currency == states[0].Currency) {
			states = append(states, s.before)
		}
	}
	return states
}

// allocate changes what the payment settles of the invoices from what it was before, and returns all reasons why it cannot be.
func (all settledInvoices) allocate(w work, before, after payment.State) error {
	var errs []error
	isMoved := !before.Date.Equal(after.Date) || before.IsSetOff() != after.IsSetOff()
	for i, item := range after.Items {
		was := before.ItemOf(item.InvoiceID)
		prefix := fmt.Sprintf("items[%d].", i)
		s, ok := all[item.InvoiceID]
		switch {
		case !ok:
			errs = append(errs, fault.ForField(fault.Dangling, prefix+"invoice_id", fault.DoesNotExist))
		case s.before.PerformerID != after.PerformerID:
			errs = append(errs, fault.As(fault.ForField(fault.Invalid, prefix+"invoice_id", "is an invoice of another performer")).
				Coded(fault.Mismatch))
		case was == nil || isMoved || !payment.SameItem(*was, item):
			a := allocation(after, &item, prefix+"amount")
			a.Before = allocation(before, was, "")
			errs = append(errs, s.inv.Allocate(*a, w.At))
		}
	}
	for _, was := range before.Items {
		if after.ItemOf(was.InvoiceID) == nil {
			a := invoice.Allocation{Field: "items", Before: allocation(before, &was, "")}
			errs = append(errs, all[was.InvoiceID].inv.Allocate(a, w.At))
		}
	}
	return fault.Join(errs...)
}

func allocation(of payment.State, i *payment.Item, field string) *invoice.Allocation {
	if i == nil {
		return nil
	}
	return &invoice.Allocation{Field: field, Paid: i.Amount, Waived: i.Waived, IsSetOff: of.IsSetOff()}
}

// save saves the invoices that have changed, by id.
func (all settledInvoices) save(ctx context.Context, w work, b base) error {
	byID := func(a, b settled) int { return cmp.Compare(a.before.ID, b.before.ID) }
	return b.saveSettled(ctx, w, slices.SortedFunc(maps.Values(all), byID))
}

// namePayments adds to the error of an invoice that its payments exclude a change which payments these are.
func namePayments(ctx context.Context, w work, id invoice.ID, err error) error {
	f := fault.As(err)
	if f == nil || f.Code != fault.HasPayments {
		return err
	}
	ids, failed := w.Payments.Of(ctx, id)
	if failed != nil {
		return failed
	}
	fields := make([]fault.Field, len(ids))
	for i, id := range ids {
		fields[i] = fault.Field{Message: fmt.Sprintf("payment %d settles a part of the invoice", id), Resource: "payment", RecordID: int64(id)}
	}
	named := *f
	named.Fields = fields
	return named.Coded(fault.HasPayments)
}
