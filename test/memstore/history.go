package memstore

import (
	"maps"
	"slices"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

// History is the history of the deal, oldest entry first.
func (s *Store) History(id deal.ID) []repository.DealHistoryEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []repository.DealHistoryEntry
	for _, at := range slices.Sorted(maps.Keys(s.data.history)) {
		if e := s.data.history[at]; e.DealID == id {
			entries = append(entries, e)
		}
	}
	return entries
}

// project stores the history that follows from the changes.
func (u *unit) project(meta repository.Meta) {
	for _, e := range derive.DealHistory(meta, u.changes) {
		if e.StatusID == 0 {
			e.StatusID = u.deals.rows[e.DealID].StatusID
		}
		u.history[u.next("history")] = e
	}
}

// checkHistory rejects what would leave an entry without its status or user.
func (u *unit) checkHistory() error {
	for _, id := range slices.Sorted(maps.Keys(u.history)) {
		e := u.history[id]
		if _, ok := u.statuses.rows[e.StatusID]; !ok {
			return fault.New(fault.Conflict, "the status is in the history of a deal")
		}
		if _, ok := u.users.rows[e.UserID]; !ok {
			return fault.ForField(fault.Dangling, "user_id", fault.DoesNotExist)
		}
	}
	return nil
}

// forgetDeal removes the history of a deal.
func (u *unit) forgetDeal(id deal.ID) {
	for at, e := range u.history {
		if e.DealID == id {
			delete(u.history, at)
		}
	}
}

// forgetInvoice leaves the entries of an invoice without it.
func (u *unit) forgetInvoice(id invoice.ID) {
	for at, e := range u.history {
		if e.InvoiceID == id {
			e.InvoiceID = 0
			u.history[at] = e
		}
	}
}
