package pgstore

import (
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

// DealHistory is the projection that keeps the history of deals: an entry for
// each new deal, each change of a deal's status, and each new invoice.
type DealHistory struct{}

// Project queues the entries, in the order of the changes.
func (DealHistory) Project(meta repository.Meta, changes []any, w *Writer) {
	for _, change := range changes {
		switch c := change.(type) {
		case repository.Change[deal.State]:
			if entersStatus(c) {
				w.Store(`
insert into deal_history (deal_id, status_id, user_id, created_on)
values ($1, $2, $3, $4)`, c.After.ID, c.After.StatusID, meta.UserID, meta.At)
			}
		case repository.Change[invoice.State]:
			if c.Before == nil {
				// The statements before this one have written the deal as it is
				// now, and whoever adds an invoice holds the lock of its deal.
				w.Store(`
insert into deal_history (deal_id, status_id, invoice_id, user_id, created_on)
select id, status_id, $2, $3, $4
from deals
where id = $1`, c.After.DealID, c.After.ID, meta.UserID, meta.At)
			}
		}
	}
}

// entersStatus tells whether the deal has a status now that it had not before.
func entersStatus(c repository.Change[deal.State]) bool {
	return c.After != nil && (c.Before == nil || c.Before.StatusID != c.After.StatusID)
}
