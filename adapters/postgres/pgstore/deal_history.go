package pgstore

import (
	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/ports/repository"
)

// DealHistory is the projection that stores the deal history.
type DealHistory struct{}

// Project queues the entries of derive.DealHistory in their order. The statements
// queued before have written the final state of each deal, and a writer that adds an
// invoice has locked its deal. An entry is never older than the one before: a writer may
// wait longer for the deal than a later one. An operator is no user: the entry has the deal's.
func (DealHistory) Project(meta repository.Meta, changes repository.Changes, w *Writer) {
	for _, e := range derive.DealHistory(meta, changes) {
		w.Store(`
insert into deal_history (id, deal_id, status_id, invoice_id, user_id, created_on, cause)
select coalesce($7, nextval('deal_history_id_seq')), id, coalesce($2, status_id), $3::bigint, coalesce($4, user_id),
    greatest($5::timestamptz, (select created_on from deal_history where deal_id = $1 order by id desc limit 1)), $6::text
from deals
where id = $1`,
			e.DealID, reference(e.StatusID), reference(e.InvoiceID), reference(e.UserID), e.CreatedOn, missing(e.Cause), w.newID())
	}
}
