package command

import (
	"context"
	"fmt"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Payments are the use cases that change payments, and with them what they settle of invoices. Rules judge the payment, not what
// follows for its invoices.
type Payments struct {
	records[payment.ID, *payment.Payment, payment.State]
}

// NewPayments returns the use cases of payments.
func NewPayments(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Payments {
	return &Payments{records[payment.ID, *payment.Payment, payment.State]{
		base:    base{tx, clock, rules, access.Business},
		repo:    func(s repository.Stores) repository.Store[payment.ID, *payment.Payment] { return s.Payments },
		version: func(s payment.State, _ payment.ID) int64 { return s.Version },
		kind:    rule.Payments,
		ref:     func(s payment.State) string { return s.Ref },
	}}
}

// Create adds a payment and returns its id.
func (u *Payments) Create(ctx context.Context, r Request, a payment.Attributes) (payment.ID, error) {
	return u.create(ctx, r, u.draft(a))
}

func (u *Payments) draft(a payment.Attributes) preparation[*payment.Payment, payment.State] {
	return func(ctx context.Context, w work) (d draft[*payment.Payment, payment.State], _ error) {
		found, err := w.References.Find(ctx, repository.ReferenceIDs{Performer: a.PerformerID.Or(0), Client: a.ClientID.Or(0)})
		if err != nil {
			return d, err
		}
		sent := a
		a, settled, err := spread(ctx, w, a)
		if err != nil {
			return d, err
		}
		proposed := payment.State{}.With(a)
		record, invalid := payment.New(a, w.At)
		if settled == nil && invalid == nil {
			settled, err = lockSettled(ctx, w, record.State())
		}
		if err != nil {
			return d, err
		}
		if invalid == nil {
			invalid = fault.Join(settled.checkCurrency(ctx, w, record.State()), settled.allocate(w, payment.State{}, record.State()))
		}
		d = draftOf(proposed, record, fault.Join(invalid, checkReference(ctx, w, payment.State{}, proposed)))
		d.missing = fault.Join(found.Missing, settled.checkOne(sent))
		d.beforeAdd = func(ctx context.Context) error { return settled.save(ctx, w, u.base) }
		return d, nil
	}
}

// spread returns the attributes with the items that a short form of them means. The invoices are then locked.
func spread(ctx context.Context, w work, a payment.Attributes) (payment.Attributes, settledInvoices, error) {
	amount, hasAmount := a.Amount.Get()
	one := a.InvoiceID.Or(0)
	if a.Items.IsSet() || !hasAmount || a.Oldest == (one != 0) || a.Oldest && a.ClientID.Or(0) == 0 {
		return a, nil, nil // which may be wrong
	}
	meant := payment.State{Items: []payment.Item{{InvoiceID: one}}}
	if one == 0 {
		ids, err := w.Payments.Open(ctx, a.PerformerID.Or(0), a.ClientID.Or(0), amount)
		if err != nil {
			return a, nil, err
		}
		meant.Items = nil
		for _, id := range ids {
			meant.Items = append(meant.Items, payment.Item{InvoiceID: id})
		}
	}
	settled, err := lockSettled(ctx, w, meant)
	if err != nil {
		return a, nil, err
	}
	a.Items, a.InvoiceID, a.Oldest = domain.Some(payment.Spread(amount, settled.states(meant))), domain.Optional[invoice.ID]{}, false
	return a, settled, nil
}

// Update sets the attributes that are present. Items, if present, replace all items.
func (u *Payments) Update(ctx context.Context, r Request, id payment.ID, a payment.Attributes) error {
	return u.update(ctx, r, id, u.edit(a))
}

func (u *Payments) edit(a payment.Attributes) edit[*payment.Payment, payment.State] {
	var settled settledInvoices
	e := editOf(
		func(ctx context.Context, w work, p *payment.Payment) (err error) {
			before := p.State()
			if err := p.Update(a, w.At); err != nil {
				return fault.Join(err, checkReference(ctx, w, before, before.With(a)))
			}
			if settled, err = lockSettled(ctx, w, before, p.State()); err != nil {
				return err
			}
			return fault.Join(
				settled.checkCurrency(ctx, w, p.State()), settled.allocate(w, before, p.State()), checkReference(ctx, w, before, p.State()))
		},
		func(_ work, before payment.State) payment.State { return before.With(a) })
	e.references = func(before, after payment.State) (refs references) {
		refs.ids = repository.ReferenceIDs{
			Performer: changed(before.PerformerID, after.PerformerID), Client: changed(before.ClientID, after.ClientID),
		}
		return refs
	}
	e.beforeSave = func(ctx context.Context, w work, _ payment.State, _ *payment.Payment) error {
		return settled.save(ctx, w, u.base)
	}
	return e
}

// Put changes the payment with the ref in the attributes as Update does, or creates it as Create does.
func (u *Payments) Put(ctx context.Context, r Request, a payment.Attributes) error {
	return u.put(ctx, r, a.Ref.Or(""), u.draft(a), u.edit(a))
}

// Delete deletes a payment, which then settles nothing.
func (u *Payments) Delete(ctx context.Context, r Request, id payment.ID) error {
	var p *payment.Payment
	allowed := func(found *payment.Payment) error {
		p = found
		return p.CheckDelete()
	}
	return u.remove(ctx, r, id, allowed, func(ctx context.Context, w work) error {
		settled, err := lockSettled(ctx, w, p.State())
		if err == nil {
			err = settled.allocate(w, p.State(), payment.State{PerformerID: p.State().PerformerID})
		}
		if err != nil {
			return err
		}
		return settled.save(ctx, w, u.base)
	})
}

// checkReference returns a fault.Conflict if another payment of the performer has the bank's reference. The unique index catches one
// that is stored meanwhile.
func checkReference(ctx context.Context, w work, before, after payment.State) error {
	if after.Reference == "" || after.PerformerID == 0 || after.Reference == before.Reference && after.PerformerID == before.PerformerID {
		return nil
	}
	owner, err := w.Payments.ByReference(ctx, after.PerformerID, after.Reference)
	if err != nil || owner == 0 {
		return err
	}
	return fault.As(fault.ForFields(fault.Conflict, fault.Field{
		Name: "reference", Message: fmt.Sprintf("belongs to the payment %d", owner), Resource: "payment", RecordID: int64(owner),
	})).Coded(fault.Taken)
}
