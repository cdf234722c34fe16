package repository

import (
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
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

// Changes are the changes of a unit of work by aggregate, each in the order in which they
// were made. Package application/derive computes derived rows from them. Access tokens
// are left out, because nothing is derived from them.
//
// Contacts that are removed or relinked together with their client or deal have no
// changes of their own, because there may be any number of them; they follow from the
// change of the client or deal.
//
// An invoice has only the lines that were loaded for the change, before it and after it;
// a removed one has all lines, with only their ids.
//
// Chose: a slice for each aggregate, without an order between aggregates. Because:
// readers need no type switch, and records are locked in a fixed order of aggregates
// anyway. Costs: if the order of rows derived from two aggregates matters, the deriving
// function has to define it.
type Changes struct {
	Users        []Change[user.State]
	Statuses     []Change[catalog.StatusState]
	DealTypes    []Change[catalog.LabelState[catalog.DealTypeID]]
	InvoiceTypes []Change[catalog.LabelState[catalog.InvoiceTypeID]]
	Performers   []Change[performer.State]
	Clients      []Change[client.State]
	Contacts     []Change[contact.State]
	Deals        []Change[deal.State]
	Offers       []Change[document.State[document.OfferID]]
	Contracts    []Change[document.State[document.ContractID]]
	Invoices     []Change[invoice.State]
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
