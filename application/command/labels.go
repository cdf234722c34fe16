package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Labels changes the records of a reference list that are nothing but a label.
type Labels[ID catalog.LabelID] struct {
	unit
	list func(s repository.Stores) repository.Labels[ID]
}

// DealTypes changes the types of deals.
type DealTypes = Labels[catalog.DealTypeID]

// InvoiceTypes changes the types of invoices.
type InvoiceTypes = Labels[catalog.InvoiceTypeID]

// NewDealTypes makes the use cases of the types of deals.
func NewDealTypes(tx repository.Tx, clock ports.Clock) *DealTypes {
	return &DealTypes{
		unit: unit{tx: tx, clock: clock},
		list: func(s repository.Stores) repository.DealTypes { return s.DealTypes },
	}
}

// NewInvoiceTypes makes the use cases of the types of invoices.
func NewInvoiceTypes(tx repository.Tx, clock ports.Clock) *InvoiceTypes {
	return &InvoiceTypes{
		unit: unit{tx: tx, clock: clock},
		list: func(s repository.Stores) repository.InvoiceTypes { return s.InvoiceTypes },
	}
}

// Create adds a label and returns its id.
func (u *Labels[ID]) Create(ctx context.Context, r Request, a catalog.LabelAttributes) (ID, error) {
	return create(ctx, u.unit, r, access.Reference, func(ctx context.Context, s repository.Stores, _ repository.Meta) (ID, error) {
		l, err := catalog.NewLabel[ID](a)
		if err := fault.Join(r.unread(), err); err != nil {
			return 0, err
		}
		return u.list(s).Add(ctx, l)
	})
}

// Update changes the label if the attributes carry it.
func (u *Labels[ID]) Update(ctx context.Context, r Request, id ID, a catalog.LabelAttributes) error {
	return change(ctx, u.unit, r, access.Reference, id, func(ctx context.Context, s repository.Stores, _ repository.Meta) error {
		l, err := u.lock(ctx, r, s, id)
		if err != nil {
			return err
		}
		if err := fault.Join(r.unread(), l.Update(a)); err != nil {
			return err
		}
		return u.list(s).Save(ctx, l)
	})
}

// Delete removes a label that is not in use; one that is, is a fault.Conflict.
func (u *Labels[ID]) Delete(ctx context.Context, r Request, id ID) error {
	return u.do(ctx, r, access.Reference, func(ctx context.Context, s repository.Stores, _ repository.Meta) error {
		l, err := u.lock(ctx, r, s, id)
		if err != nil {
			return err
		}
		return u.list(s).Remove(ctx, l)
	})
}

// lock locks the label in the version that the caller expects.
func (u *Labels[ID]) lock(ctx context.Context, r Request, s repository.Stores, id ID) (*catalog.Label[ID], error) {
	l, err := u.list(s).Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	return l, r.checkVersion(l.State().Version)
}
