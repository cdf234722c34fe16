package pgread

import (
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewDealHistory returns the reader of the history of deals.
func NewDealHistory(db Querier) readmodel.Reader[readmodel.DealHistoryFilter] {
	return newReader(db, dealHistory, filter[readmodel.DealHistoryFilter]{
		condition{where: "r.deal_id = ?"},
		func(f readmodel.DealHistoryFilter) []any { return []any{int64(f.DealID)} },
	})
}

var dealHistory = mapped(mapping{
	resource: readmodel.DealHistory,
	table:    "deal_history",
	columns:  map[string]string{"version": "r.id"}, // an entry has no version of its own
})
