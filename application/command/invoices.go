package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Invoices changes invoices and, through them, their lines.
type Invoices struct {
	unit
	rules rule.Set[invoice.State]
}

// NewInvoices makes the use cases of invoices.
func NewInvoices(tx repository.Tx, clock ports.Clock, rules rule.Set[invoice.State]) *Invoices {
	return &Invoices{unit: unit{tx: tx, clock: clock}, rules: rules}
}

// Create adds an invoice that the actor issues and returns its id. The deal
// that the attributes name must be the client's, or gains this client; where
// they name none, one is opened.
func (u *Invoices) Create(ctx context.Context, r Request, a invoice.Attributes) (invoice.ID, error) {
	return create(ctx, u.unit, r, access.Business, func(ctx context.Context, s repository.Stores, meta repository.Meta) (invoice.ID, error) {
		around, err := surround(ctx, s, a)
		if err != nil {
			return 0, err
		}
		inv, err := invoice.New(r.Actor.UserID, a, around.terms, meta.At)
		if err := fault.Join(r.unread(), err); err != nil {
			return 0, err
		}
		if err := u.check(nil, inv, r.Actor); err != nil {
			return 0, err
		}
		if err := around.place(ctx, s, inv, meta); err != nil {
			return 0, err
		}
		return s.Invoices.Add(ctx, inv)
	})
}

// Update changes what the attributes carry. The invoice can move to another
// deal: it then has that deal's client, or the deal gains the invoice's.
func (u *Invoices) Update(ctx context.Context, r Request, id invoice.ID, a invoice.Attributes) error {
	return change(ctx, u.unit, r, access.Business, id, func(ctx context.Context, s repository.Stores, meta repository.Meta) error {
		around, err := surround(ctx, s, a)
		if err != nil {
			return err
		}
		inv, err := s.Invoices.Lock(ctx, id)
		if err != nil {
			return err
		}
		before := inv.State()
		if err := r.checkVersion(before.Version); err != nil {
			return err
		}
		if !a.PerformerID.IsSet() {
			if around.terms, err = presentTerms(ctx, s, before.PerformerID); err != nil {
				return err
			}
		}
		if around.deal != nil {
			a = a.WithClientOf(around.deal.State())
		}
		if err := fault.Join(r.unread(), inv.Update(a, around.terms, meta.At)); err != nil {
			return err
		}
		if err := u.check(&before, inv, r.Actor); err != nil {
			return err
		}
		if err := around.move(ctx, s, before, inv, meta); err != nil {
			return err
		}
		_, err = s.Invoices.Save(ctx, inv)
		return err
	})
}

// Delete removes an invoice and its lines; a closed one stays: a
// fault.Conflict. Its entries in the deal's history stay too.
func (u *Invoices) Delete(ctx context.Context, r Request, id invoice.ID) error {
	return u.do(ctx, r, access.Business, func(ctx context.Context, s repository.Stores, _ repository.Meta) error {
		inv, err := s.Invoices.Lock(ctx, id)
		if err != nil {
			return err
		}
		before := inv.State()
		if err := r.checkVersion(before.Version); err != nil {
			return err
		}
		if err := u.rules.Check(&before, nil, r.Actor); err != nil {
			return err
		}
		if err := inv.CheckDelete(); err != nil {
			return err
		}
		return s.Invoices.Remove(ctx, inv)
	})
}

// check asks the rules.
func (u *Invoices) check(before *invoice.State, inv *invoice.Invoice, actor access.Actor) error {
	after := inv.State()
	return u.rules.Check(before, &after, actor)
}

// surroundings are the records that the attributes of an invoice refer to, as
// far as they are there.
type surroundings struct {
	terms  performer.Terms // of the performer
	client client.State
	deal   *deal.Deal // locked; nil if none is named, or it is not there
	// missing is the refusal of the references to what is not there, which
	// waits until nothing else is wrong with the invoice.
	missing error
}

// surround looks up what the attributes refer to. It locks the deal, and so
// comes before the invoice is locked. A reference that is empty is not looked
// at: whether it may be is the invoice's business.
func surround(ctx context.Context, s repository.Stores, a invoice.Attributes) (around surroundings, err error) {
	var refs []reference
	if id := a.DealID.Or(0); id != 0 {
		refs = append(refs, reference{"deal_id", func(ctx context.Context) (bool, error) {
			d, err := s.Deals.Lock(ctx, id)
			around.deal = d
			return found(err)
		}})
	}
	if id := a.PerformerID.Or(0); id != 0 {
		refs = append(refs, reference{"performer_id", func(ctx context.Context) (bool, error) {
			t, err := presentTerms(ctx, s, id)
			around.terms = t
			return found(err)
		}})
	}
	if id := a.ClientID.Or(0); id != 0 {
		refs = append(refs, reference{"client_id", func(ctx context.Context) (bool, error) {
			c, err := s.Clients.Get(ctx, id)
			if c != nil {
				around.client = c.State()
			}
			return found(err)
		}})
	}
	if id := a.TypeID.Or(0); id != 0 {
		refs = append(refs, reference{"type_id", func(ctx context.Context) (bool, error) { return s.InvoiceTypes.Exists(ctx, id) }})
	}
	around.missing = checkReferences(ctx, refs...)
	if around.missing != nil && !fault.Is(around.missing, fault.Dangling) {
		return around, around.missing
	}
	return around, nil
}

// presentTerms are the terms that the performer has now; none without one.
func presentTerms(ctx context.Context, s repository.Stores, id performer.ID) (performer.Terms, error) {
	if id == 0 {
		return performer.Terms{}, nil
	}
	p, err := s.Performers.Get(ctx, id)
	if err != nil {
		return performer.Terms{}, err
	}
	return p.Terms(), nil
}

// place puts a new invoice under the deal that it names, or under one that is
// opened for it.
func (around surroundings) place(ctx context.Context, s repository.Stores, inv *invoice.Invoice, meta repository.Meta) error {
	if around.deal != nil {
		return around.file(ctx, s, inv, meta)
	}
	if around.missing != nil {
		return around.missing
	}
	opened, err := openDeal(ctx, s, around.client, inv.State().Number, meta)
	if err != nil {
		return err
	}
	return inv.FileUnder(opened)
}

// move puts an invoice under the deal that an update names, which may be the
// one it had.
func (around surroundings) move(ctx context.Context, s repository.Stores, before invoice.State, inv *invoice.Invoice, meta repository.Meta) error {
	if around.deal != nil {
		return around.file(ctx, s, inv, meta)
	}
	if inv.State().DealID != before.DealID {
		return around.missing
	}
	// An invoice's client has always been its deal's.
	stays := deal.State{ID: before.DealID, ClientID: before.ClientID}
	return fault.Join(around.missing, asReference(inv.FileUnder(stays)))
}

// file puts the invoice under the deal, which gains the invoice's client if it
// has none.
func (around surroundings) file(ctx context.Context, s repository.Stores, inv *invoice.Invoice, meta repository.Meta) error {
	if err := fault.Join(around.missing, asReference(inv.FileUnder(around.deal.State()))); err != nil {
		return err
	}
	return gainClient(ctx, s, around.deal, inv.State().ClientID, meta.At)
}

// asReference makes a refusal of a reference that does not fit one of the kind
// that references to nothing have, so that both are given at once.
func asReference(err error) error {
	if e := fault.As(err); e != nil && e.Kind == fault.Invalid {
		return fault.ForFields(fault.Dangling, e.Fields...)
	}
	return err
}

// openDeal opens a deal for an invoice of the client. It belongs to the client's
// user, whoever issues the invoice: the rule against giving deals away is not
// asked.
func openDeal(ctx context.Context, s repository.Stores, owner client.State, number string, meta repository.Meta) (deal.State, error) {
	initial, err := s.Statuses.Default(ctx)
	if err != nil {
		return deal.State{}, err
	}
	if initial == 0 {
		return deal.State{}, fault.ForField(fault.Dangling, "deal_id",
			"is required, as there is no default status that a deal opened for the invoice could have: name a deal, or create a status whose default is true")
	}
	d, err := deal.New(owner.UserID, initial, deal.Attributes{
		Name:     optional.Some(number),
		ClientID: optional.Some(owner.ID),
	}, meta.At)
	if err != nil {
		return deal.State{}, err
	}
	opened := d.State()
	opened.ID, err = s.Deals.Add(ctx, d)
	return opened, err
}
