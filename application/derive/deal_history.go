package derive

import (
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/ports/repository"
)

// DealHistory returns the new entries of the deal history: one for each new deal, each
// change of a deal's status and each new invoice. Entries of deals come first, so that
// the entry of an invoice, which has the final status of its deal, follows the entry
// of that status.
func DealHistory(meta repository.Meta, changes repository.Changes) []repository.DealHistoryEntry {
	var entries []repository.DealHistoryEntry
	for _, c := range changes.Deals {
		if entersStatus(c) {
			entries = append(entries, repository.DealHistoryEntry{
				DealID: c.After.ID, StatusID: c.After.StatusID, UserID: meta.UserID, CreatedOn: meta.At, Cause: c.Reaction,
			})
		}
	}
	for _, c := range changes.Invoices {
		if c.Before == nil {
			entries = append(entries, repository.DealHistoryEntry{
				DealID: c.After.DealID, InvoiceID: c.After.ID, UserID: meta.UserID, CreatedOn: meta.At, Cause: c.Reaction,
			})
		}
	}
	return entries
}

func entersStatus(c repository.Change[deal.State]) bool {
	return c.After != nil && (c.Before == nil || c.Before.StatusID != c.After.StatusID)
}
