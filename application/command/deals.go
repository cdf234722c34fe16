package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Deals are the use cases that change deals.
type Deals struct {
	records[deal.ID, *deal.Deal, deal.State]
}

// NewDeals returns the use cases of deals.
func NewDeals(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Deals {
	return &Deals{records[deal.ID, *deal.Deal, deal.State]{
		base:    base{tx, clock, rules, access.Business},
		repo:    func(s repository.Stores) repository.Store[deal.ID, *deal.Deal] { return s.Deals },
		version: func(s deal.State, _ deal.ID) int64 { return s.Version },
		kind:    rule.Deals,
		ref:     func(s deal.State) string { return s.Ref },
	}}
}

// Create adds a deal and returns its id. By default, the actor is responsible and the
// status is the default status; if there is no default status either, it returns a
// fault.Invalid.
func (u *Deals) Create(ctx context.Context, r Request, a deal.Attributes) (deal.ID, error) {
	return u.create(ctx, r, u.drafts(a))
}

func (u *Deals) drafts(a deal.Attributes) preparation[*deal.Deal, deal.State] {
	return func(ctx context.Context, w work) (draft[*deal.Deal, deal.State], error) { return u.draft(ctx, w, a) }
}

// draft drafts a deal that belongs to the actor unless the attributes say otherwise.
func (u *Deals) draft(ctx context.Context, w work, a deal.Attributes) (d draft[*deal.Deal, deal.State], _ error) {
	mine := deal.State{UserID: w.Actor.UserID}
	ids := dealReferences(mine, mine.With(a)).ids
	ids.DefaultStatus = !a.StatusID.IsSet()
	found, err := w.References.Find(ctx, ids)
	if err != nil {
		return d, err
	}
	d = draftDeal(w, w.Actor.UserID, found.DefaultStatus, a)
	d.missing = found.Missing
	return d, nil
}

// opening returns the creation of a deal that is to be opened for an invoice; nil if it is invalid, as the invoice then is too.
func opening(d draft[*deal.Deal, deal.State]) *rule.Change[deal.State] {
	if d.invalid != nil {
		return nil
	}
	after := d.record.State()
	return &rule.Change[deal.State]{After: &after, Cause: rule.OpenedForInvoice}
}

// open adds a deal for an invoice, which has been judged together with that. The records that it refers
// to exist.
func (u *Deals) open(ctx context.Context, w work, d draft[*deal.Deal, deal.State]) (deal.State, error) {
	d.cause, d.isJudged = rule.OpenedForInvoice, true
	id, err := u.add(ctx, w, d)
	if err != nil {
		return deal.State{}, err
	}
	opened := d.record.State()
	opened.ID = id
	return opened, nil
}

// draftDeal drafts a deal that belongs to owner and has the status initial unless
// the attributes say otherwise.
func draftDeal(w work, owner user.ID, initial catalog.StatusID, a deal.Attributes) draft[*deal.Deal, deal.State] {
	record, invalid := deal.New(owner, initial, a, w.At)
	return draftOf(deal.State{UserID: owner, StatusID: initial}.With(a), record, invalid)
}

// Update sets the attributes that are present. Changing the client of a deal with
// invoices is a fault.Conflict. If the deal gains a client, its contacts are linked
// to that client.
func (u *Deals) Update(ctx context.Context, r Request, id deal.ID, a deal.Attributes) error {
	return u.update(ctx, r, id, u.edit(a))
}

func (u *Deals) edit(a deal.Attributes) edit[*deal.Deal, deal.State] {
	e := editOf(
		func(ctx context.Context, w work, d *deal.Deal) error {
			facts, err := factsFor(ctx, w, d, a)
			if err != nil {
				return err
			}
			return d.Update(a, facts, w.At)
		},
		func(_ work, before deal.State) deal.State { return before.With(a) })
	e.references, e.follow = dealReferences, handOver
	return e
}

// Put changes the deal with the ref in the attributes as Update does, or creates it as Create does.
func (u *Deals) Put(ctx context.Context, r Request, a deal.Attributes) error {
	return u.put(ctx, r, a.Ref.Or(""), u.drafts(a), u.edit(a))
}

// Delete deletes a deal, its history and the contacts linked to it. A deal with
// invoices, offers or contracts is a fault.Conflict.
func (u *Deals) Delete(ctx context.Context, r Request, id deal.ID) error {
	return u.remove(ctx, r, id, nil, func(ctx context.Context, w work) error { return w.Contacts.RemoveOf(ctx, contact.ToDeal(id)) })
}

func dealReferences(before, after deal.State) references {
	return references{ids: repository.ReferenceIDs{
		Client:   changed(before.ClientID, after.ClientID),
		User:     changed(before.UserID, after.UserID),
		DealType: changed(before.TypeID, after.TypeID),
		Status:   changed(before.StatusID, after.StatusID),
	}}
}

func factsFor(ctx context.Context, w work, d *deal.Deal, a deal.Attributes) (f deal.Facts, err error) {
	if d.ChangesClient(a) {
		f.HasInvoices, err = w.Deals.HasInvoices(ctx, d.State().ID)
	}
	return f, err
}

// gain returns the change of a deal that is to gain the client of an invoice; nil if it has it, or cannot gain it, and then is
// rejected as a reference.
func gain(w work, d *deal.Deal, id client.ID) *rule.Change[deal.State] {
	before := d.State()
	gaining := deal.Restore(before)
	canGain := id != 0 && gaining.GainClient(id, w.At) == nil
	after := gaining.State()
	if !canGain || after == before {
		return nil
	}
	return &rule.Change[deal.State]{Before: &before, After: &after, Cause: rule.ClientOfInvoice}
}

// gainClient gives a locked deal, which has been judged, its first client and saves it; the contacts
// linked to the deal become that client's. A deal that has this client already
// is left alone, one that has another is a fault.Conflict.
func (u *Deals) gainClient(ctx context.Context, w work, d *deal.Deal, id client.ID) error {
	before := d.State()
	if err := d.GainClient(id, w.At); err != nil {
		return err
	}
	after := d.State()
	if before == after {
		return nil
	}
	if err := w.Deals.Save(ctx, d); err != nil {
		return err
	}
	stored(u.base, w, u.kind, rule.Change[deal.State]{Before: &before, After: &after, Cause: rule.ClientOfInvoice})
	return handOver(ctx, w, before, after)
}

// handOver gives the own contacts of a deal that has gained a client to that
// client; only a deal that had none can have contacts of its own. The deal's lock
// keeps new ones away.
func handOver(ctx context.Context, w work, before, after deal.State) error {
	if before.ClientID != 0 || after.ClientID == 0 {
		return nil
	}
	return w.Contacts.HandOver(ctx, after.ID, after.ClientID)
}
