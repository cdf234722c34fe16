package pgread

import (
	"context"
	"fmt"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// recordReader reads single records of one resource.
type recordReader struct {
	model   *model
	records statements[shape]
}

// Records reads single records of every resource that can be written, for a
// caller with a connection of its own: the writing transaction.
type Records struct {
	readers map[*readmodel.Resource]*recordReader
}

// NewRecords makes the readers of all resources that can be written.
func NewRecords() *Records {
	r := &Records{readers: map[*readmodel.Resource]*recordReader{}}
	for _, m := range []*model{
		statuses, labels(readmodel.DealTypes, "deal_types", "name"), labels(readmodel.InvoiceTypes, "invoice_types", "title"),
		performers, clients, contacts, deals,
		documents(readmodel.Offers, "offers", "offer"), documents(readmodel.Contracts, "contracts", "contract"),
		invoices, invoiceItems,
	} {
		r.readers[m.resource] = &recordReader{model: m}
	}
	return r
}

// Read is the Read of readmodel.Reader over the connection.
func (r *Records) Read(ctx context.Context, db Querier, resource *readmodel.Resource, id int64, s *readmodel.Selection) (*readmodel.Rows, error) {
	reader, ok := r.readers[resource]
	if !ok {
		return nil, fmt.Errorf("there is no reader of single records of %s", resource.Name)
	}
	return reader.read(ctx, db, id, s)
}
