package memstore

import (
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
)

// entryID identifies an entry of a deal's history.
type entryID int64

// HistoryEntry is an entry of a deal's history.
type HistoryEntry struct {
	DealID    deal.ID
	StatusID  catalog.StatusID
	InvoiceID invoice.ID // zero where no invoice was created
	UserID    user.ID
	CreatedOn time.Time
}

// History is the history of the deal, oldest entry first.
func (s *Store) History(id deal.ID) []HistoryEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []HistoryEntry
	for _, at := range s.kept.history.ids() {
		if e := s.kept.history.rows[at]; e.DealID == id {
			entries = append(entries, e)
		}
	}
	return entries
}

// project writes the history that follows from what changed: an entry for each
// new deal, each change of a deal's status and each new invoice.
func (u *unit) project(meta repository.Meta) {
	for _, change := range u.changes {
		e := HistoryEntry{UserID: meta.UserID, CreatedOn: meta.At}
		switch c := change.(type) {
		case repository.Change[deal.State]:
			if c.After == nil || c.Before != nil && c.Before.StatusID == c.After.StatusID {
				continue
			}
			e.DealID, e.StatusID = c.After.ID, c.After.StatusID
		case repository.Change[invoice.State]:
			if c.Before != nil {
				continue
			}
			e.DealID, e.InvoiceID = c.After.DealID, c.After.ID
			e.StatusID = u.deals.rows[e.DealID].StatusID
		default:
			continue
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
			return fault.ForField(fault.Dangling, "user_id", "names no record")
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
