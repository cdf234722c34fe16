package pgread

import (
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewDealHistory returns the reader of the history of deals.
func NewDealHistory(db Querier) readmodel.Reader[readmodel.DealHistoryFilter] {
	return newReader(db, dealHistory, filter[readmodel.DealHistoryFilter]{
		params: []string{"deal_id"},
		values: func(f readmodel.DealHistoryFilter, into []any) bool { return set(into, optional.Some(f.DealID)) },
		where:  "r.deal_id = :deal_id",
	})
}

var dealHistory = &mapping{
	resource: readmodel.DealHistory,
	table:    "deal_history",
	columns: merge(own("id", "status_id", "invoice_id", "user_id", "created_on", "cause"), map[string]string{
		"version": "r.id", // an entry has no version of its own
	}),
}
