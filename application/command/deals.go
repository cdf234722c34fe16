package command

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Deals changes deals.
type Deals struct {
	unit
	rules rule.Set[deal.State]
}

// NewDeals makes the use cases of deals.
func NewDeals(tx repository.Tx, clock ports.Clock, rules rule.Set[deal.State]) *Deals {
	return &Deals{unit: unit{tx: tx, clock: clock}, rules: rules}
}

// Create adds a deal and returns its id. Unless the attributes say otherwise it
// belongs to the actor and has the default status; without one of either, it is
// a fault.Invalid.
func (u *Deals) Create(ctx context.Context, r Request, a deal.Attributes) (deal.ID, error) {
	return create(ctx, u.unit, r, access.Business, func(ctx context.Context, s repository.Stores, meta repository.Meta) (deal.ID, error) {
		initial, err := s.Statuses.Default(ctx)
		if err != nil {
			return 0, err
		}
		proposed := deal.State{UserID: r.Actor.UserID, StatusID: initial}.With(a)
		d, err := deal.New(r.Actor.UserID, initial, a, meta.At)
		if err := fault.Join(u.rules.Check(nil, &proposed, r.Actor), r.unread(), err); err != nil {
			return 0, err
		}
		if err := checkDealReferences(ctx, s, deal.State{}, d.State()); err != nil {
			return 0, err
		}
		return s.Deals.Add(ctx, d)
	})
}

// Update changes what the attributes carry. A deal that has invoices keeps its
// client (fault.Conflict); one that gains a client hands its own contacts over
// to that client.
func (u *Deals) Update(ctx context.Context, r Request, id deal.ID, a deal.Attributes) error {
	return change(ctx, u.unit, r, access.Business, id, func(ctx context.Context, s repository.Stores, meta repository.Meta) error {
		d, err := s.Deals.Lock(ctx, id)
		if err != nil {
			return err
		}
		before := d.State()
		facts, err := factsFor(ctx, s, d, a)
		if err != nil {
			return err
		}
		proposed := before.With(a)
		refused := u.rules.Check(&before, &proposed, r.Actor)
		if err := fault.Join(refused, r.checkVersion(before.Version), r.unread(), d.Update(a, facts, meta.At)); err != nil {
			return err
		}
		if err := checkDealReferences(ctx, s, before, d.State()); err != nil {
			return err
		}
		if err := s.Deals.Save(ctx, d); err != nil || !gains(before, d.State()) {
			return err
		}
		return handOver(ctx, s, d.State())
	})
}

// Delete removes a deal, its history and the contacts linked to it. One that has
// invoices, offers or contracts stays: a fault.Conflict.
func (u *Deals) Delete(ctx context.Context, r Request, id deal.ID) error {
	return u.do(ctx, r, access.Business, func(ctx context.Context, s repository.Stores, _ repository.Meta) error {
		d, err := s.Deals.Lock(ctx, id)
		if err != nil {
			return err
		}
		before := d.State()
		if err := r.checkVersion(before.Version); err != nil {
			return err
		}
		if err := u.rules.Check(&before, nil, r.Actor); err != nil {
			return err
		}
		contacts, err := s.Contacts.LockOf(ctx, contact.ToDeal(id))
		if err != nil {
			return err
		}
		for _, c := range contacts {
			if err := s.Contacts.Remove(ctx, c); err != nil {
				return err
			}
		}
		return s.Deals.Remove(ctx, d)
	})
}

// checkDealReferences looks up every reference that is new.
func checkDealReferences(ctx context.Context, s repository.Stores, known, after deal.State) error {
	var refs []reference
	if id := after.ClientID; id != 0 && id != known.ClientID {
		refs = append(refs, reference{"client_id", func(ctx context.Context) (bool, error) {
			_, err := s.Clients.Get(ctx, id)
			return found(err)
		}})
	}
	if id := after.UserID; id != known.UserID {
		refs = append(refs, reference{"user", func(ctx context.Context) (bool, error) { return s.Users.Exists(ctx, id) }})
	}
	if id := after.TypeID; id != 0 && id != known.TypeID {
		refs = append(refs, reference{"type_id", func(ctx context.Context) (bool, error) { return s.DealTypes.Exists(ctx, id) }})
	}
	if id := after.StatusID; id != known.StatusID {
		refs = append(refs, reference{"status_id", func(ctx context.Context) (bool, error) { return s.Statuses.Exists(ctx, id) }})
	}
	return checkReferences(ctx, refs...)
}

// factsFor looks up what the deal must know before the attributes can change it.
func factsFor(ctx context.Context, s repository.Stores, d *deal.Deal, a deal.Attributes) (f deal.Facts, err error) {
	if d.MovesClient(a) {
		f.HasInvoices, err = s.Deals.HasInvoices(ctx, d.State().ID)
	}
	return f, err
}

// gainClient gives a locked deal its first client and saves it; the contacts
// linked to the deal become that client's. A deal that has this client already
// is left alone, one that has another is a fault.Conflict.
func gainClient(ctx context.Context, s repository.Stores, d *deal.Deal, id client.ID, at time.Time) error {
	before := d.State()
	if err := d.GainClient(id, at); err != nil {
		return err
	}
	if !gains(before, d.State()) {
		return nil
	}
	if err := s.Deals.Save(ctx, d); err != nil {
		return err
	}
	return handOver(ctx, s, d.State())
}

// gains tells whether a deal has a client now and had none before. Only then
// can there be contacts linked to the deal itself.
func gains(before, after deal.State) bool {
	return before.ClientID == 0 && after.ClientID != 0
}

// handOver gives the deal's own contacts to its client. The deal's lock keeps
// new ones away.
func handOver(ctx context.Context, s repository.Stores, d deal.State) error {
	contacts, err := s.Contacts.LockOf(ctx, contact.ToDeal(d.ID))
	if err != nil {
		return err
	}
	for _, c := range contacts {
		c.HandTo(d.ClientID)
		if err := s.Contacts.Save(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
