package command

import (
	"context"

	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// actions implements rule.Actions within a unit of work.
type actions struct {
	base
	work work
}

// request returns the unit of work without what belongs to the request that
// began it.
func (a actions) request() work {
	w := a.work
	w.Request = Request{Actor: w.Actor}
	return w
}

func (a actions) UpdateClient(ctx context.Context, id client.ID, attributes client.Attributes) error {
	u := NewClients(a.tx, a.clock, a.rules)
	if err := u.MayWrite(a.work.Actor); err != nil {
		return err
	}
	return u.change(ctx, a.request(), id, u.edit(attributes))
}

func (a actions) CreateDeal(ctx context.Context, attributes deal.Attributes) (deal.ID, error) {
	u := NewDeals(a.tx, a.clock, a.rules)
	if err := u.MayWrite(a.work.Actor); err != nil {
		return 0, err
	}
	w := a.request()
	d, err := u.draft(ctx, w, attributes)
	if err != nil {
		return 0, err
	}
	return u.add(ctx, w, d)
}

func (a actions) UpdateDeal(ctx context.Context, id deal.ID, attributes deal.Attributes) error {
	u := NewDeals(a.tx, a.clock, a.rules)
	if err := u.MayWrite(a.work.Actor); err != nil {
		return err
	}
	return u.change(ctx, a.request(), id, u.edit(attributes))
}

func (a actions) UpdateInvoice(ctx context.Context, id invoice.ID, attributes invoice.Attributes) error {
	u := NewInvoices(a.tx, a.clock, a.rules, NewDeals(a.tx, a.clock, a.rules))
	if err := u.MayWrite(a.work.Actor); err != nil {
		return err
	}
	return u.recordsFor(attributes).change(ctx, a.request(), id, u.edit(id, attributes))
}
