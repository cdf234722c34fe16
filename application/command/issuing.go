package command

import (
	"context"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/repository"
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
		var issued *invoice.Invoice
		hasReactions := len(rule.Invoices.ReactionsOf(u.rules)) > 0 // which read the saved invoice, and come before the series
		p := printing{kind: performer.InvoiceSeries, form: issue.Form}
		e := editOf(
			func(ctx context.Context, w work, inv *invoice.Invoice) error {
				var parties repository.Referred
				if s := inv.State(); issue.Date.IsSet() && (!s.DueDate.IsZero() || !s.EarlyUntil.IsZero()) {
					var err error
					parties, err = w.References.Find(ctx, repository.ReferenceIDs{Performer: s.PerformerID, Client: s.ClientID})
					if err != nil {
						return err
					}
				}
				return inv.Issue(issue.Date, parties.PaymentDays, parties.Early, w.At)
			},
			func(_ work, before invoice.State) invoice.State { return before })
		e.beforeSave = func(ctx context.Context, w work, _ invoice.State, inv *invoice.Invoice) error {
			issued = inv
			if hasReactions {
				return nil
			}
			return p.number(ctx, w, inv)
		}
		err := u.whole.change(ctx, w, id, e)
		if err == nil && hasReactions {
			issued, err = p.numberSaved(ctx, w, id)
		}
		if err != nil {
			return 0, err
		}
		return id, p.print(ctx, w, issued)
	})
	return err
}

// CreditRequest says what a credit note is for, and how it is issued.
type CreditRequest struct {
	IssueRequest
	Lines  domain.Optional[[]invoice.CreditedLine] // absent: all that is left
	Notice domain.Optional[string]
	Number domain.Optional[string] // of a credit note for an invoice that was numbered by hand
}

// Credit creates a credit note and returns its id. One for an invoice of a series gets the next number of the series of credit
// notes, and its document is stored; one for an invoice that was numbered by hand has the number in the request.
func (u *Invoices) Credit(ctx context.Context, r Request, id invoice.ID, credit CreditRequest) (invoice.ID, error) {
	return u.once(ctx, r, func(ctx context.Context, w work) (invoice.ID, error) {
		source, note, others, err := u.credit(ctx, w, id, credit)
		if err != nil {
			return 0, err
		}
		isByHand := source.Credited == nil
		if isByHand {
			if err := prepareByHand(ctx, w, source, credit.Form); err != nil {
				return 0, err
			}
		}
		created, err := u.addPrepared(ctx, w, func(ctx context.Context, w work) (draft[*invoice.Invoice, invoice.State], error) {
			if isByHand {
				return draftOf(note.State(), note, nil), nil
			}
			draftID, err := w.Invoices.Reserve(ctx)
			note.Reserve(draftID)
			note.SetNumber(invoice.DraftNumber(draftID))
			return draftOf(note.State(), note, nil), err
		})
		if err != nil {
			return 0, err
		}
		added := note.State()
		added.ID = created
		if err := addSetOff(ctx, w, append(others, settled{inv: invoice.Restore(added)})); err != nil || isByHand {
			return created, err
		}
		p := printing{kind: performer.CreditSeries, form: credit.Form, source: source}
		if note, err = p.numberSaved(ctx, w, created); err != nil {
			return 0, err
		}
		return created, p.print(ctx, w, note)
	})
}

// credit changes the credited invoice and former credit notes as far as a credit note does, and returns them. It returns the credit
// note, and what its document is made of as far as that is known here.
func (u *Invoices) credit(
	ctx context.Context, w work, id invoice.ID, credit CreditRequest,
) (s billing.Source, note *invoice.Invoice, others []settled, err error) {
	var credited settled
	request := invoice.CreditRequest{Issuer: w.Actor.UserID, Lines: credit.Lines, Notice: credit.Notice, Number: credit.Number}
	e := editOf(
		func(ctx context.Context, w work, inv *invoice.Invoice) error {
			original := inv.State()
			credited = settled{inv, original}
			s.Credits = billing.Reference{Number: original.Number, Date: original.Date}
			if s.Credited, err = w.Issuing.Document(ctx, id); err != nil {
				return err
			}
			request.IsByHand = s.Credited == nil
			request.Former, request.Date, err = w.Issuing.Credited(ctx, id, w.At)
			if err != nil {
				return err
			}
			if len(request.Former.Lines) > 0 {
				request.Notes, _, err = w.Invoices.LockCredits(ctx, id)
				others = asLocked(request.Notes)
			}
			if err != nil {
				return err
			}
			request.Date = credit.Date.Or(request.Date)
			if note, err = inv.Credit(request, w.At); err == nil {
				s.Invoice, s.Former = note.State(), request.Former
			}
			return err
		},
		func(_ work, before invoice.State) invoice.State { return before })
	e.follow = func(ctx context.Context, w work, _, _ invoice.State) error { return u.saveSettled(ctx, w, others) }
	err = u.whole.change(ctx, w, id, e)
	return s, note, append(others, credited), err
}

// printing is the document of an invoice that is being issued.
type printing struct {
	kind   performer.SeriesKind
	form   domain.Optional[billing.Form]
	source billing.Source        // as far as it is known
	place  performer.SeriesPlace // of the number, once it has one
}

// complete adds to the source of a document what it says beside the invoice, which must still have the number of a draft. The party of
// the performer stays as it is until the commit, and so do the patterns of its series.
func complete(ctx context.Context, w work, s billing.Source) (billing.Source, error) {
	source, err := w.Issuing.Source(ctx, s.Invoice.PerformerID, s.Invoice.ClientID)
	source.Invoice, source.Due, source.Prepaid = s.Invoice, s.Invoice.DueDate, s.Invoice.Prepaid()
	source.Credits, source.Credited, source.Former = s.Credits, s.Credited, s.Former
	return source, err
}

// expect refuses a document that lacks something for the form, if one is given.
func expect(s billing.Source, form domain.Optional[billing.Form]) error {
	if f, ok := form.Get(); ok {
		return billing.Expect(billing.New(s), f)
	}
	return nil
}

// prepareByHand checks a credit note that was numbered by hand.
func prepareByHand(ctx context.Context, w work, s billing.Source, form domain.Optional[billing.Form]) error {
	source, err := complete(ctx, w, s)
	if err != nil {
		return err
	}
	issuer, err := w.References.Find(ctx, repository.ReferenceIDs{Performer: s.Invoice.PerformerID, Number: s.Invoice.Number})
	if err != nil {
		return err
	}
	taken := checkFree(issuer, s.Invoice.Number)
	for _, k := range performer.SeriesKinds {
		if taken == nil && issuer.IsSeries && source.Seller.Pattern(k).Makes(s.Invoice.Number) {
			taken = fault.ForField(fault.Invalid, "number", "must not be a number that a series of the performer makes")
		}
	}
	if taken != nil {
		return taken
	}
	return expect(source, form)
}

// prepare completes the source of the document of an issued invoice, if the performer has a series for it and the document all that
// the form requires.
func (p *printing) prepare(ctx context.Context, w work, s invoice.State) (err error) {
	p.source.Invoice = s
	if p.source, err = complete(ctx, w, p.source); err != nil {
		return err
	}
	switch {
	case p.source.Seller.Numbering != party.Series:
		return fault.New(fault.Conflict, "the performer has no series: set numbering and number_pattern of its party")
	case p.source.Seller.Pattern(p.kind).IsZero():
		return fault.New(fault.Conflict, "the performer has no series for credit notes: set credit_pattern of its party")
	}
	return expect(p.source, p.form)
}

// number gives the invoice the next number of the series. The performer and the series are locked after everything else that the
// change locks, because all documents of a performer wait for the series.
func (p *printing) number(ctx context.Context, w work, inv *invoice.Invoice) error {
	s := inv.State()
	if err := p.prepare(ctx, w, s); err != nil {
		return err
	}
	pattern, year := p.source.Seller.Pattern(p.kind), s.Date.Year()
	place, err := w.Issuing.Draw(ctx, performer.SeriesID{Performer: s.PerformerID, Kind: p.kind, Year: pattern.Year(year)})
	if err != nil {
		return err
	}
	p.place = place
	inv.SetNumber(pattern.Number(year, place.Seq))
	return checkOrder(w, p.source, place)
}

// print stores the document of a numbered invoice.
func (p *printing) print(ctx context.Context, w work, inv *invoice.Invoice) error {
	p.source.Invoice = inv.State()
	return w.Issuing.Store(ctx, p.place, billing.New(p.source))
}

// numberSaved numbers a saved invoice, with the ids of its lines, and as the reactions to its issuing have left it.
func (p *printing) numberSaved(ctx context.Context, w work, id invoice.ID) (*invoice.Invoice, error) {
	if err := w.react(ctx); err != nil {
		return nil, err
	}
	inv, err := w.Invoices.Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := p.number(ctx, w, inv); err != nil {
		return nil, err
	}
	_, err = w.Invoices.Save(ctx, inv)
	return inv, err
}

// checkOrder warns of a date before that of the number before it, or refuses it if the performer's numbers have to be in the order of
// their dates.
func checkOrder(w work, s billing.Source, place performer.SeriesPlace) error {
	if !s.Invoice.Date.Truncate(24 * time.Hour).Before(place.PreviousDate) {
		return nil
	}
	if s.Seller.Chronological {
		return fault.ForField(fault.Invalid, "date", "is before %s, the date of the number before it in the series",
			place.PreviousDate.Format(time.DateOnly))
	}
	w.warnings = append(w.warnings, "chronology")
	return nil
}

// checkSeries refuses a pattern that an existing series of the performer does not have, one whose numbers were given by hand, and
// another currency than that of issued documents.
func checkSeries(ctx context.Context, w work, id performer.ID, before, after party.State) error {
	if id == 0 {
		return nil
	}
	started, err := w.Issuing.Kinds(ctx, id)
	if err != nil {
		return err
	}
	if len(started) > 0 && before.Currency != "" && after.Currency != before.Currency {
		return fault.New(fault.Conflict, "currency cannot change: a series has numbers").Coded(fault.Frozen)
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
