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
	clients, deals Records
}

var _ readmodel.Reader[readmodel.ContactFilter] = (*Contacts)(nil)

// NewContacts wraps the reader of contacts; clients and deals are used to check that
// the owner exists.
func NewContacts(contacts readmodel.Reader[readmodel.ContactFilter], clients, deals Records) *Contacts {
	return &Contacts{Reader: contacts, clients: clients, deals: deals}
}

// List returns a page. A filter without client and deal is a fault.Malformed, one by
// a client or deal that does not exist a fault.NotFound.
func (c *Contacts) List(ctx context.Context, q readmodel.Query[readmodel.ContactFilter]) (*readmodel.Rows, error) {
	clientID, hasClient := q.Filter.ClientID.Get()
	dealID, hasDeal := q.Filter.DealID.Get()
	if !hasClient && !hasDeal {
		return nil, fault.New(fault.Malformed, NoClientOrDeal)
	}
	rows, err := c.Reader.List(ctx, q)
	if err != nil || rows.Total > 0 {
		return rows, err
	}
	if hasClient {
		err = checkExists(ctx, c.clients, int64(clientID))
	}
	if hasDeal && err == nil {
		err = checkExists(ctx, c.deals, int64(dealID))
	}
	return rows, err
}
