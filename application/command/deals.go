package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Deals changes deals.
type Deals struct {
	records[deal.ID, *deal.Deal, deal.State]
}

// NewDeals makes the use cases of deals.
func NewDeals(tx repository.Tx, clock ports.Clock, rules rule.Set[deal.State]) *Deals {
	return &Deals{records[deal.ID, *deal.Deal, deal.State]{
		base:    base{tx, clock, access.Business},
		repo:    func(s repository.Stores) repo[deal.ID, *deal.Deal] { return s.Deals },
		version: func(s deal.State, _ deal.ID) int64 { return s.Version },
		rules:   rules,
	}}
}

// Create adds a deal and returns its id. Unless the attributes say otherwise it
// belongs to the actor and has the default status; without one of either, it is
// a fault.Invalid.
func (u *Deals) Create(ctx context.Context, r Request, a deal.Attributes) (deal.ID, error) {
	return u.create(ctx, r, func(ctx context.Context, w work) (draft[*deal.Deal, deal.State], error) {
		initial, err := w.Statuses.Default(ctx)
		return draftDeal(w, r.Actor.UserID, initial, a), err
	})
}

// openFor adds a deal for an invoice of the client. It belongs to the client's
// user, not to the issuer of the invoice, and has the default status: without one, the
// invoice needs a deal that exists, a fault.Dangling.
func (u *Deals) openFor(ctx context.Context, w work, owner client.State, number string) (deal.State, error) {
	initial, err := w.Statuses.Default(ctx)
	if err != nil {
		return deal.State{}, err
	}
	if initial == 0 {
		return deal.State{}, fault.ForField(fault.Dangling, "deal_id",
			"is required, as there is no default status that a deal opened for the invoice could have: name a deal, or create a status whose default is true")
	}
	d := draftDeal(w, owner.UserID, initial, deal.Attributes{Name: optional.Some(number), ClientID: optional.Some(owner.ID)})
	d.cause = rule.OpenedForInvoice
	d.references = nil // the client and its user have been looked up
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
func draftDeal(w work, owner user.ID, initial catalog.StatusID, a deal.Attributes) (d draft[*deal.Deal, deal.State]) {
	d.record, d.invalid = deal.New(owner, initial, a, w.At)
	d.proposed = deal.State{UserID: owner, StatusID: initial}.With(a)
	d.references = func(ctx context.Context) error { return checkDealReferences(ctx, w, deal.State{}, d.record) }
	return d
}

// Update changes the attributes that were sent. A deal that has invoices keeps its
// client (fault.Conflict); one that gains a client hands its own contacts over
// to that client.
func (u *Deals) Update(ctx context.Context, r Request, id deal.ID, a deal.Attributes) error {
	return u.update(ctx, r, id, edit[*deal.Deal, deal.State]{
		mutate: func(ctx context.Context, w work, d *deal.Deal) error {
			facts, err := factsFor(ctx, w, d, a)
			if err != nil {
				return err
			}
			return d.Update(a, facts, w.At)
		},
		proposed:   func(before deal.State) deal.State { return before.With(a) },
		references: checkDealReferences,
		follow:     handOver,
	})
}

// Delete removes a deal, its history and the contacts linked to it. One that has
// invoices, offers or contracts stays: a fault.Conflict.
func (u *Deals) Delete(ctx context.Context, r Request, id deal.ID) error {
	return u.remove(ctx, r, id, nil, removeContacts(contact.ToDeal(id)))
}

// checkDealReferences looks up every reference that is new.
func checkDealReferences(ctx context.Context, w work, known deal.State, d *deal.Deal) error {
	after := d.State()
	var refs []reference
	if id := after.ClientID; id != 0 && id != known.ClientID {
		refs = append(refs, reference{"client_id", func(ctx context.Context) (bool, error) {
			_, err := w.Clients.Get(ctx, id)
			return found(err)
		}})
	}
	if id := after.UserID; id != known.UserID {
		refs = append(refs, reference{"user", func(ctx context.Context) (bool, error) { return w.Users.Exists(ctx, id) }})
	}
	if id := after.TypeID; id != 0 && id != known.TypeID {
		refs = append(refs, reference{"type_id", func(ctx context.Context) (bool, error) { return w.DealTypes.Exists(ctx, id) }})
	}
	if id := after.StatusID; id != known.StatusID {
		refs = append(refs, reference{"status_id", func(ctx context.Context) (bool, error) { return w.Statuses.Exists(ctx, id) }})
	}
	return checkReferences(ctx, refs...)
}

// factsFor looks up what the deal must know before the attributes can change it.
func factsFor(ctx context.Context, w work, d *deal.Deal, a deal.Attributes) (f deal.Facts, err error) {
	if d.MovesClient(a) {
		f.HasInvoices, err = w.Deals.HasInvoices(ctx, d.State().ID)
	}
	return f, err
}

// gainClient gives a locked deal its first client and saves it; the contacts
// linked to the deal become that client's. A deal that has this client already
// is left alone, one that has another is a fault.Conflict.
func gainClient(ctx context.Context, w work, d *deal.Deal, id client.ID) error {
	before := d.State()
	if err := d.GainClient(id, w.At); err != nil {
		return err
	}
	if err := w.Deals.Save(ctx, d); err != nil {
		return err
	}
	return handOver(ctx, w, before, d.State())
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
