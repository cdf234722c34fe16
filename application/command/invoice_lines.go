package command

import (
	"context"
	"slices"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
)

// AddLine adds a line to the invoice and returns its id. An invoice id of zero
// means that none was given.
func (u *Invoices) AddLine(ctx context.Context, r Request, id invoice.ID, a invoice.LineAttributes) (invoice.LineID, error) {
	return u.lines.create(ctx, r, func(ctx context.Context, w work) (d draft[*invoice.Invoice, invoice.State], _ error) {
		inv, missing, err := lockForLine(ctx, w, id)
		if err != nil {
			return d, err
		}
		before := inv.State()
		terms, err := presentTerms(ctx, w, before.PerformerID)
		if err != nil {
			return d, err
		}
		d = draftOf(before.WithLine(0, a, terms), inv, inv.AddLine(a, terms, w.At))
		d.before = &before
		if missing != nil {
			return d, fault.Join(w.CheckWrong(), missing, d.invalid)
		}
		return d, nil
	})
}

// ChangeLine sets the attributes of the line that are present. The expected
// version is the line's, not the invoice's.
func (u *Invoices) ChangeLine(ctx context.Context, r Request, id invoice.LineID, a invoice.LineAttributes) error {
	return u.lines.update(ctx, r, id, editLines(
		func(w work, inv *invoice.Invoice, t performer.Terms) error { return inv.ChangeLine(id, a, t, w.At) },
		func(before invoice.State, t performer.Terms) invoice.State { return before.WithLine(id, a, t) }))
}

// RemoveLine removes the line from its invoice, which is an update of the invoice.
func (u *Invoices) RemoveLine(ctx context.Context, r Request, id invoice.LineID) error {
	return u.lines.update(ctx, r, id, editLines(
		func(w work, inv *invoice.Invoice, t performer.Terms) error { return inv.RemoveLine(id, t, w.At) },
		func(before invoice.State, t performer.Terms) invoice.State { return before.WithoutLine(id, t) }))
}

// editLines returns a change of the lines of an invoice under the terms that its
// performer has now.
func editLines(
	change func(w work, inv *invoice.Invoice, t performer.Terms) error,
	proposed func(before invoice.State, t performer.Terms) invoice.State,
) edit[*invoice.Invoice, invoice.State] {
	var terms performer.Terms
	return editOf(
		func(ctx context.Context, w work, inv *invoice.Invoice) (err error) {
			if terms, err = presentTerms(ctx, w, inv.State().PerformerID); err != nil {
				return err
			}
			return change(w, inv, terms)
		},
		func(_ work, before invoice.State) invoice.State { return proposed(before, terms) })
}

// lockForLine locks the invoice that is to have a new line. Where there is none,
// missing says so, and the line is judged as that of an empty invoice, so that
// its own faults are reported as well.
func lockForLine(ctx context.Context, w work, id invoice.ID) (inv *invoice.Invoice, missing, err error) {
	empty := invoice.Restore(invoice.State{})
	if id == 0 {
		return empty, fault.As(fault.ForField(fault.Invalid, "invoice_id", "is required")).Coded(fault.Required), nil
	}
	inv, err = w.Invoices.LockHeader(ctx, id)
	if fault.Is(err, fault.NotFound) {
		return empty, fault.ForField(fault.Dangling, "invoice_id", fault.DoesNotExist), nil
	}
	return inv, nil, err
}

// invoicesByLine stores invoices under the ids of their lines.
type invoicesByLine struct {
	invoices
}

func (s invoicesByLine) Lock(ctx context.Context, id invoice.LineID) (*invoice.Invoice, error) {
	inv, err := s.LockByLine(ctx, id)
	if err == nil && lineOf(inv.State(), id) == nil { // removed while the lock was waited for
		err = fault.New(fault.NotFound, "there is no such invoice item")
	}
	return inv, err
}

func (s invoicesByLine) Add(ctx context.Context, inv *invoice.Invoice) (invoice.LineID, error) {
	ids, err := s.Invoices.Save(ctx, inv)
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

func lineVersion(s invoice.State, id invoice.LineID) int64 { return lineOf(s, id).Version }

func lineOf(s invoice.State, id invoice.LineID) *invoice.Line {
	i := slices.IndexFunc(s.Lines, func(l invoice.Line) bool { return l.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Lines[i]
}

// invoices stores invoices without returning the ids of their new lines.
type invoices struct {
	repository.Invoices
}

func (s invoices) Save(ctx context.Context, inv *invoice.Invoice) error {
	_, err := s.Invoices.Save(ctx, inv)
	return err
}

// headers stores invoices whose lines stay as they are.
type headers struct {
	invoices
}

func (s headers) Lock(ctx context.Context, id invoice.ID) (*invoice.Invoice, error) {
	return s.LockHeader(ctx, id)
}
