package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

// NewDealHistory makes the reader of the history of deals.
func NewDealHistory(db Querier) readmodel.Reader[readmodel.DealHistoryFilter] {
	return newReader(db, dealHistory, condition[readmodel.DealHistoryFilter]{
		where: "r.deal_id = ?",
		asked: func(f readmodel.DealHistoryFilter) []any { return []any{int64(f.DealID)} },
	})
}

var dealHistory = &model{
	resource: readmodel.DealHistory,
	table:    "deal_history",
	columns: map[string]string{
		"id":         "r.id",
		"version":    "r.id", // an entry has no version of its own
		"status_id":  "r.status_id",
		"invoice_id": "r.invoice_id",
		"user_id":    "r.user_id",
		"created_on": "r.created_on",
	},
}
