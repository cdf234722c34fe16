package repository

import (
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
)

// Change is a change of one aggregate in a unit of work. Before is nil for a new record,
// After for a removed one.
type Change[S any] struct {
	Before, After *S
	// Reaction is the name of the reaction that made the change; empty if no reaction
	// did.
	Reaction string
}

// LoggedChange is an entry of the log of changes: one change of one record.
type LoggedChange struct {
	Resource   string // as in its path
	RecordID   int64
	Action     string // create, update or delete
	Cause      string // the name of a reaction; empty: a request
	Attributes []LoggedAttribute
}

// LoggedAttribute is an attribute that an update has changed. The log has no values of personal data.
type LoggedAttribute struct {
	Name     string
	Old, New string // empty: null, or not in the log
}

// DealHistoryEntry is an entry of the deal history.
type DealHistoryEntry struct {
	DealID deal.ID
	// StatusID is the status that the deal entered. Zero means its status at the time
	// when the entry is stored, which the store fills in.
	StatusID  catalog.StatusID
	InvoiceID invoice.ID // zero unless the entry is about a new invoice
	UserID    user.ID
	CreatedOn time.Time
	Cause     string // the name of a reaction; empty: a request
}
