package command

import (
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Labels are the use cases that change the labels of a reference list.
type Labels[ID catalog.LabelID] = Plain[ID, *catalog.Label[ID], catalog.LabelState[ID], catalog.LabelAttributes]

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
	return &Labels[ID]{
		records: records[ID, *catalog.Label[ID], catalog.LabelState[ID]]{
			base: b, repo: store, kind: k,
			version: func(s catalog.LabelState[ID], _ ID) int64 { return s.Version },
		},
		make:  func(_ work, a catalog.LabelAttributes) (*catalog.Label[ID], error) { return catalog.NewLabel[ID](a) },
		amend: func(l *catalog.Label[ID], a catalog.LabelAttributes, _ time.Time) error { return l.Update(a) },
	}
}
