package pgstore

import (
	"github.com/kontor-crm/kontor/domain/catalog"
)

var (
	dealTypes    = labels[catalog.DealTypeID]("deal_types", "deal type", "deals")
	invoiceTypes = labels[catalog.InvoiceTypeID]("invoice_types", "invoice type", "invoices")
)

func labels[ID catalog.LabelID](name, what, labelled string) *table[ID, *catalog.Label[ID], catalog.LabelState[ID]] {
	return kept(name, table[ID, *catalog.Label[ID], catalog.LabelState[ID]]{
		what: what, restore: catalog.RestoreLabel[ID], same: same[catalog.LabelState[ID]],
		key:       func(s *catalog.LabelState[ID]) (*ID, *int64) { return &s.ID, &s.Version },
		referrers: []referrer{{labelled, "type_id"}},
	}, func(c *columns, s *catalog.LabelState[ID]) {
		title(c, "name", &s.Name)
	})
}
