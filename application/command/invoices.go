package command

import (
	"context"
	"regexp"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Invoices are the use cases that change invoices and their lines. Each write loads only
// the lines that it concerns: rules see these, and the totals of all.
type Invoices struct {
	// Those of the header, without lines.
	records[invoice.ID, *invoice.Invoice, invoice.State]
	// Those of an invoice with all its lines, and of one line.
	whole records[invoice.ID, *invoice.Invoice, invoice.State]
	lines records[invoice.LineID, *invoice.Invoice, invoice.State]
	deals *Deals
}

// NewInvoices returns the use cases of invoices. They open deals by means of the use cases
// of deals.
func NewInvoices(tx repository.Tx, clock ports.Clock, rules *rule.Registry, deals *Deals) *Invoices {
	b := base{tx, clock, rules, access.Business}
	version := func(s invoice.State, _ invoice.ID) int64 { return s.Version }
	return &Invoices{
		records: records[invoice.ID, *invoice.Invoice, invoice.State]{
			base: b,
			repo: func(s repository.Stores) repository.Store[invoice.ID, *invoice.Invoice] {
				return headers{invoices{s.Invoices}}
			},
			version: version,
			kind:    rule.Invoices,
			ref:     invoiceRef,
		},
		whole: records[invoice.ID, *invoice.Invoice, invoice.State]{
			base:    b,
			repo:    func(s repository.Stores) repository.Store[invoice.ID, *invoice.Invoice] { return invoices{s.Invoices} },
			version: version,
			kind:    rule.Invoices,
			ref:     invoiceRef,
		},
		lines: records[invoice.LineID, *invoice.Invoice, invoice.State]{
			base: b,
			repo: func(s repository.Stores) repository.Store[invoice.LineID, *invoice.Invoice] {
				return invoicesByLine{invoices{s.Invoices}}
			},
			version: lineVersion,
			kind:    rule.Invoices,
		},
		deals: deals,
	}
}

func invoiceRef(s invoice.State) string { return s.Ref }

// Create adds an invoice, created by the actor, and returns its id. The deal that the
// attributes name must have the same client, or none, and then gains it. If they name no
// deal, one is opened.
func (u *Invoices) Create(ctx context.Context, r Request, a invoice.Attributes) (invoice.ID, error) {
	return u.create(ctx, r, u.draft(a))
}

func (u *Invoices) draft(a invoice.Attributes) preparation[*invoice.Invoice, invoice.State] {
	return func(ctx context.Context, w work) (d draft[*invoice.Invoice, invoice.State], _ error) {
		found, err := findReferred(ctx, w, a, repository.ReferenceIDs{DefaultStatus: a.DealID.Or(0) == 0})
		if err != nil {
			return d, err
		}
		a := a.DueAfter(found.PaymentDays).DiscountedAfter(found.Early).WithDefaults(found.Trade)
		var draftID invoice.ID
		misnumbered := checkNumber(found, invoice.State{}, a)
		if found.IsSeries && a.Number.Or("") == "" {
			if draftID, err = w.Invoices.Reserve(ctx); err != nil {
				return d, err
			}
			a.Number = domain.Some(invoice.DraftNumber(draftID))
		}
		record, invalid := invoice.New(w.Actor.UserID, a, found.Terms, w.At)
		if invalid = fault.Join(misnumbered, invalid); invalid == nil {
			record.Reserve(draftID)
		}
		d = draftOf(invoice.State{UserID: w.Actor.UserID, Terms: found.Terms}.With(a, found.Terms, w.At), record, invalid)
		d.missing = fault.Join(found.Missing, checkNewDeal(found, d.proposed))
		if found.Deal != nil {
			if d.missing == nil {
				d.other = gain(w, found.Deal, d.proposed.ClientID)
			}
			d.beforeAdd = func(ctx context.Context) error { return u.attachNamed(ctx, w, found.Deal, d.record) }
			return d, nil
		}
		opened := dealFor(w, found, d)
		if d.missing == nil {
			d.other = opening(opened)
		}
		d.beforeAdd = func(ctx context.Context) error {
			deal, err := u.deals.open(ctx, w, opened)
			if err != nil {
				return err
			}
			return d.record.AttachToDeal(deal)
		}
		return d, nil
	}
}

// Update sets the attributes that are present. If the invoice moves to another deal, it
// gets that deal's client, or the deal gains the invoice's.
func (u *Invoices) Update(ctx context.Context, r Request, id invoice.ID, a invoice.Attributes) error {
	return u.recordsFor(a).update(ctx, r, id, u.edit(id, a))
}

// recordsFor returns the records with the lines that an update with these attributes
// concerns.
func (u *Invoices) recordsFor(a invoice.Attributes) records[invoice.ID, *invoice.Invoice, invoice.State] {
	if a.Lines.IsSet() {
		return u.whole
	}
	return u.records
}

// edit returns the change of the invoice with the id; zero: it is no credit note.
func (u *Invoices) edit(id invoice.ID, a invoice.Attributes) edit[*invoice.Invoice, invoice.State] {
	var found repository.Referred
	var locked family
	var others []settled
	var terms performer.Terms
	var meant invoice.Attributes
	e := editOf(
		func(ctx context.Context, w work, inv *invoice.Invoice) error {
			before := inv.State()
			issuer, err := issuerOf(ctx, w, found, before, a)
			if err != nil {
				return err
			}
			terms, meant = issuer.Terms, withClientOf(found.Deal, numberedBy(issuer, before, a))
			if misnumbered := checkNumber(issuer, before, a); misnumbered != nil {
				return fault.Join(misnumbered, invoice.Restore(before).Update(meant, terms, w.At))
			}
			if err := inv.Update(meant, terms, w.At); err != nil {
				return namePayments(ctx, w, before.ID, err)
			}
			others, err = settle(ctx, w, locked, before, inv)
			return err
		},
		func(w work, before invoice.State) invoice.State { return before.With(meant, terms, w.At) })
	e.prepare = func(ctx context.Context, w work) (err error) {
		found, err = findReferred(ctx, w, a, repository.ReferenceIDs{})
		if err == nil && id != 0 && a.RequestsUnpaid() {
			locked, err = lockFamilyOf(ctx, w, id)
		}
		return err
	}
	e.references = func(before, after invoice.State) references {
		return references{missing: fault.Join(found.Missing, checkDeal(found, before, after))}
	}
	e.other = func(w work, after invoice.State) *rule.Change[deal.State] {
		if found.Deal == nil || found.Missing != nil {
			return nil
		}
		return gain(w, found.Deal, after.ClientID)
	}
	e.beforeSave = func(ctx context.Context, w work, _ invoice.State, inv *invoice.Invoice) error {
		if found.Deal == nil {
			return nil
		}
		return u.attachNamed(ctx, w, found.Deal, inv)
	}
	e.follow = func(ctx context.Context, w work, before, after invoice.State) error {
		if err := u.saveSettled(ctx, w, others); err != nil || len(others) == 0 {
			return err
		}
		return addSetOff(ctx, w, append(others, settled{invoice.Restore(after), before}))
	}
	return e
}

// Put changes the invoice with the ref in the attributes as Update does, or creates it as Create does.
func (u *Invoices) Put(ctx context.Context, r Request, a invoice.Attributes) error {
	return u.recordsFor(a).put(ctx, r, a.Ref.Or(""), u.draft(a), u.edit(0, a))
}

// Delete deletes an invoice and its lines, but not its entries in the deal history. A
// closed invoice is a fault.Conflict.
func (u *Invoices) Delete(ctx context.Context, r Request, id invoice.ID) error {
	return u.remove(ctx, r, id, (*invoice.Invoice).CheckDelete, nil)
}

// issuerOf looks up the performer that the invoice will have, unless it was found with the attributes.
func issuerOf(
	ctx context.Context, w work, found repository.Referred, before invoice.State, a invoice.Attributes,
) (repository.Referred, error) {
	ids := repository.ReferenceIDs{Performer: a.PerformerID.Or(before.PerformerID), Number: a.Number.Or("")}
	if isMoved(before, a) {
		ids.Number = a.Number.Or(before.Number)
	}
	if a.PerformerID.IsSet() && ids.Number == a.Number.Or("") {
		return found, nil
	}
	return w.References.Find(ctx, ids)
}

func isMoved(before invoice.State, a invoice.Attributes) bool {
	return a.PerformerID.Or(before.PerformerID) != before.PerformerID
}

// numberedBy returns the attributes with the number that they mean for an invoice of the issuer. Where a series numbers, an empty one
// is none, and one that was given by hand under another performer makes the invoice a draft.
func numberedBy(issuer repository.Referred, before invoice.State, a invoice.Attributes) invoice.Attributes {
	switch number := a.Number.Or(before.Number); {
	case !issuer.IsSeries:
	case isMoved(before, a) && (number == "" || number == before.Number):
		a.Number = domain.Some(invoice.DraftNumber(before.ID))
	case number == "":
		a.Number = domain.Optional[string]{}
	}
	return a
}

var isDraftNumber = regexp.MustCompile(performer.DraftPattern.Expression()).MatchString

// checkFree rejects a number for an invoice that is numbered by hand if it is that of a draft, or a series of the performer has
// given it.
func checkFree(issuer repository.Referred, number string) error {
	switch {
	case isDraftNumber(number):
		return fault.ForField(fault.Invalid, "number", "must not be the number of a draft")
	case issuer.IsIssued:
		return fault.As(fault.ForField(fault.Invalid, "number", "is the number of an issued document of the performer")).Coded(fault.Taken)
	}
	return nil
}

// checkNumber rejects a number that is given by hand to an invoice of a performer with a series, and one that is not free. One that
// repeats the present number is ignored.
func checkNumber(issuer repository.Referred, before invoice.State, a invoice.Attributes) error {
	number := a.Number.Or(before.Number)
	stays := number == before.Number && (issuer.IsSeries || before.IsDraft() || !isMoved(before, a))
	switch {
	case stays || number == "":
		return nil
	case !issuer.IsSeries:
		return checkFree(issuer, number)
	}
	return fault.ForField(fault.Invalid, "number", "is drawn from the series of the performer when the invoice is issued: leave it out")
}

// findReferred looks up what the attributes refer to. It locks the deal, and so
// comes before the invoice is locked. A reference that is empty is not looked
// up: whether it may be is decided by the invoice.
func findReferred(ctx context.Context, w work, a invoice.Attributes, ids repository.ReferenceIDs) (repository.Referred, error) {
	ids.LockedDeal = a.DealID.Or(0)
	ids.Performer = a.PerformerID.Or(0)
	ids.Number = a.Number.Or("")
	ids.Client = a.ClientID.Or(0)
	ids.InvoiceType = a.TypeID.Or(0)
	return w.References.Find(ctx, ids)
}

// withClientOf returns the attributes with the client of the deal that they name, if they
// name no client.
func withClientOf(d *deal.Deal, a invoice.Attributes) invoice.Attributes {
	if d == nil {
		return a
	}
	return a.WithClientOf(d.State())
}

// presentTerms returns the terms that the performer has now; none without one.
func presentTerms(ctx context.Context, w work, id performer.ID) (performer.Terms, error) {
	found, err := w.References.Find(ctx, repository.ReferenceIDs{Performer: id})
	return found.Terms, err
}

// checkNewDeal rejects a deal of another client, and a new invoice that names no deal
// where none can be opened for it.
func checkNewDeal(found repository.Referred, proposed invoice.State) error {
	if found.Deal != nil {
		return asReference(proposed.CheckClientOf(found.Deal.State()))
	}
	if proposed.DealID == 0 && found.DefaultStatus == 0 {
		return fault.ForField(fault.Dangling, "deal_id",
			"is required, as there is no default status that a deal opened for the invoice could have: name a deal, or create a status "+
				"whose default is true")
	}
	return nil
}

// dealFor drafts the deal that is opened for a new invoice. It belongs to the client's responsible user,
// not to the creator of the invoice.
func dealFor(w work, found repository.Referred, d draft[*invoice.Invoice, invoice.State]) draft[*deal.Deal, deal.State] {
	s := d.proposed
	if d.invalid == nil {
		s = d.record.State()
	}
	return draftDeal(w, found.ClientUser, 0, deal.Attributes{
		Name:     domain.Some(s.Number),
		ClientID: domain.Some(s.ClientID),
		StatusID: domain.Some(found.DefaultStatus),
	})
}

// checkDeal rejects a deal of another client. An update names the deal, or the
// invoice stays in the one it had, whose client has always been the invoice's.
func checkDeal(found repository.Referred, before, after invoice.State) error {
	switch {
	case found.Deal != nil:
		return asReference(after.CheckClientOf(found.Deal.State()))
	case after.DealID == before.DealID:
		return asReference(after.CheckClientOf(deal.State{ClientID: before.ClientID}))
	}
	return nil
}

// attachNamed attaches the invoice to the deal that was named, which gains the
// invoice's client if it has none.
func (u *Invoices) attachNamed(ctx context.Context, w work, d *deal.Deal, inv *invoice.Invoice) error {
	if err := inv.AttachToDeal(d.State()); err != nil {
		return err
	}
	return u.deals.gainClient(ctx, w, d, inv.State().ClientID)
}

// asReference turns the rejection of an unsuitable reference into a fault.Dangling, the kind
// of references to missing records, so that both are reported together.
func asReference(err error) error {
	if e := fault.As(err); e != nil && e.Kind == fault.Invalid {
		return fault.ForFields(fault.Dangling, e.Fields...)
	}
	return err
}
