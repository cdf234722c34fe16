package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewDealTypes returns the reader of the types of deals.
func NewDealTypes(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, labels(readmodel.DealTypes, "deal_types", "name"))
}

// NewInvoiceTypes returns the reader of the types of invoices.
func NewInvoiceTypes(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, labels(readmodel.InvoiceTypes, "invoice_types", "title"))
}

// labels returns the mapping of labels; attribute
// is what the label is called.
func labels(resource *readmodel.Resource, table, attribute string) *mapping {
	return &mapping{
		resource: resource,
		table:    table,
		columns: map[string]string{
			"id":      "r.id",
			"version": "r.version",
			attribute: "r.name",
		},
		keys: map[string]string{attribute: "r.name_key"},
	}
}
