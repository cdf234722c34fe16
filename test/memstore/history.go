package memstore

import (
	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

// entryID identifies an entry of a deal's history.
type entryID int64

// History is the history of the deal, oldest entry first.
func (s *Store) History(id deal.ID) []repository.DealHistoryEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []repository.DealHistoryEntry
	for _, at := range s.kept.history.ids() {
		if e := s.kept.history.rows[at]; e.DealID == id {
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
		u.history.rows[u.history.next()] = e
	}
}

// checkHistory refuses what would leave an entry without its status or user.
func (u *unit) checkHistory() error {
	for _, id := range u.history.ids() {
		e := u.history.rows[id]
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
	for at, e := range u.history.rows {
		if e.DealID == id {
			delete(u.history.rows, at)
		}
	}
}

// forgetInvoice leaves the entries of an invoice without it.
func (u *unit) forgetInvoice(id invoice.ID) {
	for at, e := range u.history.rows {
		if e.InvoiceID == id {
			e.InvoiceID = 0
			u.history.rows[at] = e
		}
	}
}
