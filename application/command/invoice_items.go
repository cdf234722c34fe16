package command

import (
	"context"
	"slices"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
)

// AddItem adds a line to the invoice and returns its id. An invoice id of zero
// is a missing one.
func (u *Invoices) AddItem(ctx context.Context, r Request, to invoice.ID, a invoice.LineAttributes) (invoice.LineID, error) {
	return create(ctx, u.unit, r, access.Business, func(ctx context.Context, s repository.Stores, meta repository.Meta) (invoice.LineID, error) {
		inv, missing, err := lockForLine(ctx, s, to)
		if err != nil {
			return 0, err
		}
		ids, err := u.changeLines(ctx, s, r, inv, func(t performer.Terms) error {
			return fault.Join(missing, inv.AddLine(a, t, meta.At))
		})
		if err != nil {
			return 0, err
		}
		return ids[0], nil
	})
}

// ChangeItem changes what the attributes carry of the line. Its version is the
// line's own.
func (u *Invoices) ChangeItem(ctx context.Context, r Request, id invoice.LineID, a invoice.LineAttributes) error {
	return change(ctx, u.unit, r, access.Business, id, func(ctx context.Context, s repository.Stores, meta repository.Meta) error {
		inv, err := lockWithLine(ctx, s, r, id)
		if err != nil {
			return err
		}
		_, err = u.changeLines(ctx, s, r, inv, func(t performer.Terms) error { return inv.ChangeLine(id, a, t, meta.At) })
		return err
	})
}

// RemoveItem takes the line from its invoice.
func (u *Invoices) RemoveItem(ctx context.Context, r Request, id invoice.LineID) error {
	return u.do(ctx, r, access.Business, func(ctx context.Context, s repository.Stores, meta repository.Meta) error {
		inv, err := lockWithLine(ctx, s, r, id)
		if err != nil {
			return err
		}
		_, err = u.changeLines(ctx, s, r, inv, func(t performer.Terms) error { return inv.RemoveLine(id, t, meta.At) })
		return err
	})
}

// changeLines changes the lines of a locked invoice under the terms that its
// performer has now, and saves it. It returns the ids of new lines.
func (u *Invoices) changeLines(ctx context.Context, s repository.Stores, r Request, inv *invoice.Invoice,
	change func(performer.Terms) error,
) ([]invoice.LineID, error) {
	before := inv.State()
	terms, err := presentTerms(ctx, s, before.PerformerID)
	if err != nil {
		return nil, err
	}
	if err := fault.Join(r.unread(), change(terms)); err != nil {
		return nil, err
	}
	if err := u.check(&before, inv, r.Actor); err != nil {
		return nil, err
	}
	return s.Invoices.Save(ctx, inv)
}

// lockForLine locks the invoice that is to have a new line. Where there is none,
// missing says so, and the line is judged as that of an empty invoice, so that
// its own faults are told as well.
func lockForLine(ctx context.Context, s repository.Stores, id invoice.ID) (inv *invoice.Invoice, missing, err error) {
	nobody := invoice.Restore(invoice.State{})
	if id == 0 {
		return nobody, fault.ForField(fault.Invalid, "invoice_id", "is required"), nil
	}
	inv, err = s.Invoices.Lock(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return nobody, fault.ForField(fault.Dangling, "invoice_id", "names no record"), nil
	}
	return inv, nil, err
}

// lockWithLine locks the invoice of a line that has the version that the caller
// expects.
func lockWithLine(ctx context.Context, s repository.Stores, r Request, id invoice.LineID) (*invoice.Invoice, error) {
	inv, err := s.Invoices.LockByLine(ctx, id)
	if err != nil {
		return nil, err
	}
	lines := inv.State().Lines
	i := slices.IndexFunc(lines, func(l invoice.Line) bool { return l.ID == id })
	if i < 0 { // it went while the lock was waited for
		return nil, fault.New(fault.NotFound, "there is no such invoice item")
	}
	return inv, r.checkVersion(lines[i].Version)
}
