package query

import (
	"context"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NoClientOrDeal is the message for a list of contacts without a filter by client or
// deal. Existing programs compare it, so it must not change.
const NoClientOrDeal = "no deal_id or client_id"

// Contacts lists the contacts of a client or a deal.
type Contacts struct {
	readmodel.Reader[readmodel.ContactFilter]
	clients, deals RecordReader
}

var _ readmodel.Reader[readmodel.ContactFilter] = (*Contacts)(nil)

// NewContacts wraps the reader of contacts; clients and deals are used to check that
// the owner exists.
func NewContacts(contacts readmodel.Reader[readmodel.ContactFilter], clients, deals RecordReader) *Contacts {
	return &Contacts{Reader: contacts, clients: clients, deals: deals}
}

// List returns a page. A filter without client, deal and ref is a fault.Malformed, one by
// a deal that does not exist, or by clients none of which exists, a fault.NotFound.
func (c *Contacts) List(ctx context.Context, q readmodel.Query[readmodel.ContactFilter]) (*readmodel.Rows, error) {
	if err := hasOwner(q.Filter); err != nil {
		return nil, err
	}
	rows, err := c.Reader.List(ctx, q)
	if err != nil || rows.Total > 0 {
		return rows, err
	}
	return rows, c.checkOwners(ctx, q.Filter)
}

// Export opens the list, with the errors of List.
func (c *Contacts) Export(ctx context.Context, q readmodel.Query[readmodel.ContactFilter]) (readmodel.Export, error) {
	if err := hasOwner(q.Filter); err != nil {
		return nil, err
	}
	if err := c.checkOwners(ctx, q.Filter); err != nil {
		return nil, err
	}
	return c.Reader.Export(ctx, q)
}

func hasOwner(f readmodel.ContactFilter) error {
	if len(f.ClientIDs) == 0 && !f.DealID.IsSet() && f.Ref == "" {
		return fault.New(fault.Malformed, NoClientOrDeal)
	}
	return nil
}

func (c *Contacts) checkOwners(ctx context.Context, f readmodel.ContactFilter) (err error) {
	for _, id := range f.ClientIDs {
		if err = checkExists(ctx, c.clients, int64(id)); !fault.Is(err, fault.NotFound) {
			break
		}
	}
	if dealID, ok := f.DealID.Get(); ok && err == nil {
		err = checkExists(ctx, c.deals, int64(dealID))
	}
	return err
}
