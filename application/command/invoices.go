package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Invoices changes invoices and, through them, their lines.
type Invoices struct {
	records[invoice.ID, *invoice.Invoice, invoice.State]
	lines records[invoice.LineID, *invoice.Invoice, invoice.State]
	deals *Deals
}

// NewInvoices makes the use cases of invoices, which open deals through those of
// deals.
func NewInvoices(tx repository.Tx, clock ports.Clock, rules rule.Set[invoice.State], deals *Deals) *Invoices {
	b := base{tx, clock, access.Business}
	return &Invoices{
		records: records[invoice.ID, *invoice.Invoice, invoice.State]{
			base:    b,
			repo:    func(s repository.Stores) repo[invoice.ID, *invoice.Invoice] { return invoices{s.Invoices} },
			version: func(s invoice.State, _ invoice.ID) int64 { return s.Version },
			rules:   rules,
		},
		lines: records[invoice.LineID, *invoice.Invoice, invoice.State]{
			base: b,
			repo: func(s repository.Stores) repo[invoice.LineID, *invoice.Invoice] {
				return invoicesByLine{invoices{s.Invoices}}
			},
			version: lineVersion,
			rules:   rules,
		},
		deals: deals,
	}
}

// Create adds an invoice that the actor issues and returns its id. The deal
// that the attributes name must be the client's, or gains this client; where
// they name none, one is opened.
func (u *Invoices) Create(ctx context.Context, r Request, a invoice.Attributes) (invoice.ID, error) {
	return u.create(ctx, r, func(ctx context.Context, w work) (d draft[*invoice.Invoice, invoice.State], _ error) {
		refs, err := loadReferences(ctx, w, a)
		if err != nil {
			return d, err
		}
		d.record, d.invalid = invoice.New(r.Actor.UserID, a, refs.terms, w.At)
		d.proposed = invoice.State{UserID: r.Actor.UserID}.With(a)
		d.references = func(ctx context.Context) error { return u.attachNew(ctx, w, refs, d.record) }
		return d, nil
	})
}

// Update changes the attributes that were sent. The invoice can move to another
// deal: it then has that deal's client, or the deal gains the invoice's.
func (u *Invoices) Update(ctx context.Context, r Request, id invoice.ID, a invoice.Attributes) error {
	var refs references
	return u.update(ctx, r, id, edit[*invoice.Invoice, invoice.State]{
		prepare: func(ctx context.Context, w work) (err error) {
			refs, err = loadReferences(ctx, w, a)
			return err
		},
		mutate: func(ctx context.Context, w work, inv *invoice.Invoice) (err error) {
			terms := refs.terms
			if !a.PerformerID.IsSet() {
				if terms, err = presentTerms(ctx, w, inv.State().PerformerID); err != nil {
					return err
				}
			}
			return inv.Update(refs.withClient(a), terms, w.At)
		},
		proposed:   func(before invoice.State) invoice.State { return before.With(refs.withClient(a)) },
		references: refs.attach,
	})
}

// Delete removes an invoice and its lines; a closed one stays: a
// fault.Conflict. Its entries in the deal's history stay too.
func (u *Invoices) Delete(ctx context.Context, r Request, id invoice.ID) error {
	return u.remove(ctx, r, id, (*invoice.Invoice).CheckDelete, nil)
}

// references are the records that the attributes of an invoice refer to, as far as
// they exist.
type references struct {
	terms  performer.Terms // of the performer
	client client.State
	deal   *deal.Deal // locked; nil if none is named, or it does not exist
	// missing is the refusal of the references to what does not exist, which
	// waits until nothing else is wrong with the invoice.
	missing error
}

// loadReferences looks up what the attributes refer to. It locks the deal, and so
// comes before the invoice is locked. A reference that is empty is not looked
// up: whether it may be is decided by the invoice.
func loadReferences(ctx context.Context, w work, a invoice.Attributes) (refs references, err error) {
	refs.missing = checkReferences(ctx, refs.named(w, a)...)
	if refs.missing != nil && !fault.Is(refs.missing, fault.Dangling) {
		return refs, refs.missing
	}
	return refs, nil
}

// named are the references that the attributes name. Checking one locks the record and
// stores it in refs if it exists.
func (refs *references) named(w work, a invoice.Attributes) (named []reference) {
	if id := a.DealID.Or(0); id != 0 {
		named = append(named, reference{"deal_id", func(ctx context.Context) (_ bool, err error) {
			refs.deal, err = w.Deals.Lock(ctx, id)
			return found(err)
		}})
	}
	if id := a.PerformerID.Or(0); id != 0 {
		named = append(named, reference{"performer_id", func(ctx context.Context) (_ bool, err error) {
			refs.terms, err = presentTerms(ctx, w, id)
			return found(err)
		}})
	}
	if id := a.ClientID.Or(0); id != 0 {
		named = append(named, reference{"client_id", func(ctx context.Context) (bool, error) {
			c, err := w.Clients.Get(ctx, id)
			if c != nil {
				refs.client = c.State()
			}
			return found(err)
		}})
	}
	if id := a.TypeID.Or(0); id != 0 {
		named = append(named, reference{"type_id", func(ctx context.Context) (bool, error) { return w.InvoiceTypes.Exists(ctx, id) }})
	}
	return named
}

// withClient is the attributes with the client of the deal that they name, if they
// name no client.
func (refs *references) withClient(a invoice.Attributes) invoice.Attributes {
	if refs.deal == nil {
		return a
	}
	return a.WithClientOf(refs.deal.State())
}

// presentTerms are the terms that the performer has now; none without one.
func presentTerms(ctx context.Context, w work, id performer.ID) (performer.Terms, error) {
	if id == 0 {
		return performer.Terms{}, nil
	}
	p, err := w.Performers.Get(ctx, id)
	if err != nil {
		return performer.Terms{}, err
	}
	return p.Terms(), nil
}

// attachNew attaches a new invoice to the deal that it names, or to one that is
// opened for it.
func (u *Invoices) attachNew(ctx context.Context, w work, refs references, inv *invoice.Invoice) error {
	if refs.deal != nil {
		return refs.attachNamed(ctx, w, inv)
	}
	if refs.missing != nil {
		return refs.missing
	}
	opened, err := u.deals.openFor(ctx, w, refs.client, inv.State().Number)
	if err != nil {
		return err
	}
	return inv.AttachToDeal(opened)
}

// attach attaches an invoice to the deal that an update names, which may be the
// one it had.
func (refs *references) attach(ctx context.Context, w work, before invoice.State, inv *invoice.Invoice) error {
	if refs.deal != nil {
		return refs.attachNamed(ctx, w, inv)
	}
	if inv.State().DealID != before.DealID {
		return refs.missing
	}
	// An invoice's client has always been its deal's.
	stays := deal.State{ID: before.DealID, ClientID: before.ClientID}
	return fault.Join(refs.missing, asReference(inv.AttachToDeal(stays)))
}

// attachNamed attaches the invoice to the deal that was named, which gains the
// invoice's client if it has none.
func (refs *references) attachNamed(ctx context.Context, w work, inv *invoice.Invoice) error {
	if err := fault.Join(refs.missing, asReference(inv.AttachToDeal(refs.deal.State()))); err != nil {
		return err
	}
	return gainClient(ctx, w, refs.deal, inv.State().ClientID)
}

// asReference makes a refusal of a reference that does not fit one of the kind
// that references to nothing have, so that both are given at once.
func asReference(err error) error {
	if e := fault.As(err); e != nil && e.Kind == fault.Invalid {
		return fault.ForFields(fault.Dangling, e.Fields...)
	}
	return err
}
