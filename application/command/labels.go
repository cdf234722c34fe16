package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Labels are the use cases that change the labels of a reference list.
type Labels[ID catalog.LabelID] struct {
	records[ID, *catalog.Label[ID], catalog.LabelState[ID]]
}

// DealTypes are the use cases that change deal types.
type DealTypes = Labels[catalog.DealTypeID]

// InvoiceTypes are the use cases that change invoice types.
type InvoiceTypes = Labels[catalog.InvoiceTypeID]

// NewDealTypes returns the use cases of the types of deals.
func NewDealTypes(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *DealTypes {
	store := func(s repository.Stores) repository.Store[catalog.DealTypeID, *catalog.DealType] { return s.DealTypes }
	return newLabels(base{tx, clock, rules, access.Reference}, rule.DealTypes, store)
}

// NewInvoiceTypes returns the use cases of the types of invoices.
func NewInvoiceTypes(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *InvoiceTypes {
	store := func(s repository.Stores) repository.Store[catalog.InvoiceTypeID, *catalog.InvoiceType] {
		return s.InvoiceTypes
	}
	return newLabels(base{tx, clock, rules, access.Reference}, rule.InvoiceTypes, store)
}

func newLabels[ID catalog.LabelID](
	b base, k rule.Kind[catalog.LabelState[ID]], store func(s repository.Stores) repository.Store[ID, *catalog.Label[ID]],
) *Labels[ID] {
	return &Labels[ID]{records[ID, *catalog.Label[ID], catalog.LabelState[ID]]{
		base:    b,
		repo:    store,
		kind:    k,
		version: func(s catalog.LabelState[ID], _ ID) int64 { return s.Version },
	}}
}

// Create adds a label and returns its id.
func (u *Labels[ID]) Create(ctx context.Context, r Request, a catalog.LabelAttributes) (ID, error) {
	return u.create(ctx, r, func(context.Context, work) (draft[*catalog.Label[ID], catalog.LabelState[ID]], error) {
		record, invalid := catalog.NewLabel[ID](a)
		return draftOf(catalog.LabelState[ID]{}.With(a), record, invalid), nil
	})
}

// Update sets the label's name if it is present.
func (u *Labels[ID]) Update(ctx context.Context, r Request, id ID, a catalog.LabelAttributes) error {
	return u.update(ctx, r, id, editOf(
		func(_ context.Context, _ work, l *catalog.Label[ID]) error { return l.Update(a) },
		func(_ work, before catalog.LabelState[ID]) catalog.LabelState[ID] { return before.With(a) }))
}

// Delete deletes a label. One that is in use is a fault.Conflict.
func (u *Labels[ID]) Delete(ctx context.Context, r Request, id ID) error {
	return u.remove(ctx, r, id, nil, nil)
}
