package query

import (
	"context"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Contacts lists the contacts of a client or a deal.
type Contacts struct {
	readmodel.Reader[readmodel.ContactFilter]
	clients, deals Records
}

var _ readmodel.Reader[readmodel.ContactFilter] = (*Contacts)(nil)

// NewContacts makes the list out of the contacts and the records that they may
// belong to.
func NewContacts(contacts readmodel.Reader[readmodel.ContactFilter], clients, deals Records) *Contacts {
	return &Contacts{Reader: contacts, clients: clients, deals: deals}
}

// List is the page of contacts. One that is asked for neither by a client nor
// by a deal is a fault.Malformed, one by a record that does not exist a
// fault.NotFound.
func (c *Contacts) List(ctx context.Context, q readmodel.Query[readmodel.ContactFilter]) (*readmodel.Rows, error) {
	clientID, ofClient := q.Filter.ClientID.Get()
	dealID, ofDeal := q.Filter.DealID.Get()
	if !ofClient && !ofDeal {
		return nil, fault.New(fault.Malformed, "no deal_id or client_id")
	}
	rows, err := c.Reader.List(ctx, q)
	if err != nil || rows.Total > 0 {
		return rows, err
	}
	if ofClient {
		err = exists(ctx, c.clients, int64(clientID))
	}
	if ofDeal && err == nil {
		err = exists(ctx, c.deals, int64(dealID))
	}
	return rows, err
}
