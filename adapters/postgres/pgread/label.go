package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewDealTypes returns the reader of the types of deals.
func NewDealTypes(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, dealTypes)
}

// NewInvoiceTypes returns the reader of the types of invoices.
func NewInvoiceTypes(db Querier) readmodel.Reader[readmodel.NoFilter] {
	return newReader[readmodel.NoFilter](db, invoiceTypes)
}

var (
	dealTypes    = mapped(mapping{resource: readmodel.DealTypes, table: "deal_types"})
	invoiceTypes = mapped(mapping{resource: readmodel.InvoiceTypes, table: "invoice_types", columns: map[string]string{"title": "r.name"}})
)
