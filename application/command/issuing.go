package command

import (
	"context"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
)

// IssueRequest says how a document is issued.
type IssueRequest struct {
	Date domain.Optional[time.Time] // absent: that of the invoice; for a credit note, today
	// Form is the form that the document has to be complete for (billing.Expect); absent: it may lack anything.
	Form domain.Optional[billing.Form]
}

// Issue numbers and freezes an invoice, and stores its document. A performer without a series is a fault.Conflict.
func (u *Invoices) Issue(ctx context.Context, r Request, id invoice.ID, issue IssueRequest) error {
	_, err := u.once(ctx, r, func(ctx context.Context, w work) (invoice.ID, error) {
		var p printing
		e := editOf(
			func(_ context.Context, w work, inv *invoice.Invoice) error { return inv.Issue(issue.Date, w.At) },
			func(_ work, before invoice.State) invoice.State { return before })
		e.beforeSave = func(ctx context.Context, w work, _ invoice.State, inv *invoice.Invoice) (err error) {
			p, err = prepare(ctx, w, performer.InvoiceSeries, inv.State(), billing.Reference{}, issue.Form)
			return err
		}
		if err := u.whole.change(ctx, w, id, e); err != nil {
			return 0, err
		}
		return id, p.print(ctx, w, id)
	})
	return err
}

// Credit creates an issued credit note for lines of an issued invoice, or for all that is left of it, and returns its id.
func (u *Invoices) Credit(
	ctx context.Context, r Request, id invoice.ID, lines domain.Optional[[]invoice.CreditedLine], issue IssueRequest,
) (invoice.ID, error) {
	return u.once(ctx, r, func(ctx context.Context, w work) (invoice.ID, error) {
		original, note, err := u.credit(ctx, w, id, lines, issue.Date)
		if err != nil {
			return 0, err
		}
		credited := billing.Reference{Number: original.Number, Date: original.Date}
		p, err := prepare(ctx, w, performer.CreditSeries, note.State(), credited, issue.Form)
		if err != nil {
			return 0, err
		}
		created, err := u.addPrepared(ctx, w, func(ctx context.Context, w work) (draft[*invoice.Invoice, invoice.State], error) {
			draftID, err := w.Invoices.Reserve(ctx)
			note.Reserve(draftID)
			note.SetNumber(invoice.DraftNumber(draftID))
			return draftOf(note.State(), note, nil), err
		})
		if err != nil {
			return 0, err
		}
		return created, p.print(ctx, w, created)
	})
}

// credit changes the credited invoice as far as a credit note does, and returns both.
func (u *Invoices) credit(
	ctx context.Context, w work, id invoice.ID, lines domain.Optional[[]invoice.CreditedLine], date domain.Optional[time.Time],
) (original invoice.State, note *invoice.Invoice, err error) {
	request := invoice.CreditRequest{Issuer: w.Actor.UserID, Lines: lines}
	e := editOf(
		func(ctx context.Context, w work, inv *invoice.Invoice) error {
			original = inv.State()
			request.Credited, request.Date, err = w.Issuing.Credited(ctx, id, w.At)
			if err != nil {
				return err
			}
			request.Date = date.Or(request.Date)
			note, err = inv.Credit(request, w.At)
			return err
		},
		func(_ work, before invoice.State) invoice.State { return before })
	err = u.whole.change(ctx, w, id, e)
	return original, note, err
}

// printing is the document of an invoice that is being issued.
type printing struct {
	kind   performer.SeriesKind
	source billing.Source
}

// prepare returns the document of an issued invoice without a number, if it has all that the form requires. The party of the
// performer is locked, so that the series has the same pattern until the commit.
func prepare(
	ctx context.Context, w work, k performer.SeriesKind, s invoice.State, credits billing.Reference, form domain.Optional[billing.Form],
) (printing, error) {
	source, err := w.Issuing.Source(ctx, s.PerformerID, s.ClientID)
	if err != nil {
		return printing{}, err
	}
	switch {
	case source.Seller.Numbering != party.Series:
		return printing{}, fault.New(fault.Conflict, "the performer has no series: set numbering and number_pattern of its party")
	case source.Seller.Pattern(k).IsZero():
		return printing{}, fault.New(fault.Conflict, "the performer has no series for credit notes: set credit_pattern of its party")
	}
	source.Invoice, source.Due, source.Credits = s, s.DueDate, credits
	if f, ok := form.Get(); ok {
		err = billing.Expect(billing.New(source), f)
	}
	return printing{k, source}, err
}

// print numbers the invoice and stores its document. The series is locked after everything that the change locks, reactions
// included, because all documents of a performer wait for it.
func (p printing) print(ctx context.Context, w work, id invoice.ID) error {
	if err := w.react(ctx); err != nil {
		return err
	}
	inv, err := w.Invoices.Lock(ctx, id) // as the reactions have left it
	if err != nil {
		return err
	}
	s := inv.State()
	pattern, year := p.source.Seller.Pattern(p.kind), s.Date.Year()
	place, err := w.Issuing.Draw(ctx, performer.SeriesID{Performer: s.PerformerID, Kind: p.kind, Year: pattern.Year(year)})
	if err != nil {
		return err
	}
	inv.SetNumber(pattern.Number(year, place.Seq))
	if _, err := w.Invoices.Save(ctx, inv); err != nil {
		return err
	}
	p.source.Invoice = inv.State()
	return w.Issuing.Store(ctx, place, billing.New(p.source))
}

// checkSeries refuses a pattern that an existing series of the performer does not have, and one whose numbers were given by hand.
func checkSeries(ctx context.Context, w work, id performer.ID, before, after party.State) error {
	if id == 0 {
		return nil
	}
	started, err := w.Issuing.Kinds(ctx, id)
	if err != nil {
		return err
	}
	for _, k := range performer.SeriesKinds {
		pattern := after.Pattern(k)
		isChanged := pattern != before.Pattern(k)
		switch {
		case isChanged && slices.Contains(started, k):
			return fault.New(fault.Conflict, "%s cannot change: the series has numbers", party.PatternField(k)).Coded(fault.Frozen)
		case pattern.IsZero() || after.Numbering != party.Series || !isChanged && before.Numbering == party.Series:
			continue
		}
		number, err := w.Issuing.Taken(ctx, id, pattern)
		if err != nil {
			return err
		}
		if number != "" {
			return fault.ForField(fault.Invalid, party.PatternField(k),
				"must not make numbers that were given by hand, such as %s, which an invoice of the performer has", number)
		}
	}
	return nil
}
