package query

import (
	"context"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// DealHistory lists the deal history of one deal.
type DealHistory struct {
	readmodel.Reader[readmodel.DealHistoryFilter]
	deals Records
}

var _ readmodel.Reader[readmodel.DealHistoryFilter] = (*DealHistory)(nil)

// NewDealHistory wraps the reader of history entries.
func NewDealHistory(entries readmodel.Reader[readmodel.DealHistoryFilter], deals Records) *DealHistory {
	return &DealHistory{Reader: entries, deals: deals}
}

// List returns a page; fault.NotFound if the deal does not exist.
func (h *DealHistory) List(ctx context.Context, q readmodel.Query[readmodel.DealHistoryFilter]) (*readmodel.Rows, error) {
	rows, err := h.Reader.List(ctx, q)
	if err != nil || rows.Total > 0 {
		return rows, err
	}
	return rows, checkExists(ctx, h.deals, int64(q.Filter.DealID))
}
