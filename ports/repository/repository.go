// Package repository contains the ports for writes: a repository for each aggregate, and
// the unit of work.
package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/payment"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Meta has the user and the time of the changes in a unit of work.
type Meta struct {
	UserID user.ID // zero: an operator at the command line
	At     time.Time
	// DryRun makes the unit of work store nothing. Do returns what it would return
	// otherwise, new records have placeholder ids (readmodel.FirstPlaceholder), and no ids
	// are used up. Locks are taken as usual, until the end.
	DryRun bool
}

// Tx is the unit of work.
type Tx interface {
	// Do runs fn and commits its changes. If fn or the commit fails, nothing is stored and
	// the error is returned. Before the commit, the changes are passed to the projections,
	// whose rows are part of the same transaction.
	//
	// fn may run several times, because of deadlock retries: it must have no effects
	// except through its Stores, which are valid for that one run only. Rejections are
	// errors of package fault; fault.OutcomeUnknown means that the connection was lost
	// during the commit.
	Do(ctx context.Context, meta Meta, fn func(ctx context.Context, s Stores) error) error
}

// Stores are the repositories of one transaction. Lock, Add, Save and Remove keep the
// promises of Store in all of them.
//
// A use case that locks several records locks them in this order: users, statuses,
// clients, payments, deals, invoices, contacts; of one kind, by ascending id. An automatic payment is locked by its
// invoice. Facts come after them, and the series of an issued document after all others. The default status is
// exempt: a writer that replaces it has already locked a status. Reactions lock in any
// order: deadlocks are retried.
type Stores struct {
	Users        Users
	Tokens       Tokens
	Statuses     Statuses
	DealTypes    Store[catalog.DealTypeID, *catalog.DealType]
	InvoiceTypes Store[catalog.InvoiceTypeID, *catalog.InvoiceType]
	Performers   Store[performer.ID, *performer.Performer]
	Clients      Store[client.ID, *client.Client]
	Parties      Parties
	Pictures     Pictures
	Contacts     Contacts
	Payments     Payments
	Deals        Deals
	Offers       Store[agreement.OfferID, *agreement.Offer]
	Contracts    Store[agreement.ContractID, *agreement.Contract]
	Invoices     Invoices
	Issuing      Issuing
	// IdempotencyKeys stores the responses to creations with an idempotency key.
	IdempotencyKeys IdempotencyKeys
	// References looks up what a record refers to.
	References References
	// Rules stores the stored rules.
	Rules Rules
	// Facts answers the questions of rules.
	Facts Facts
	// View reads records, including what this transaction has changed so far.
	View readmodel.View
}

// Changes are the changes of a unit of work by aggregate, each in the order in which they
// were made. Package application/derive computes derived rows from them. Access tokens
// are left out, because nothing is derived from them.
//
// Contacts that are removed or relinked together with their client or deal have no
// changes of their own, because there may be any number of them; they follow from the
// change of the client or deal.
//
// Automatic payments have no changes: they follow from those of invoices.
//
// Of a party, only its owner is known.
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
	Payments     []Change[payment.State]
	Deals        []Change[deal.State]
	Offers       []Change[agreement.State[agreement.OfferID]]
	Contracts    []Change[agreement.State[agreement.ContractID]]
	Invoices     []Change[invoice.State]
	Parties      []party.Owner // whose parties have changed
}

// Store stores the records of one kind. A reference to a record that does not exist is a
// fault.Dangling, and removing a record that others refer to is a fault.Conflict, at the
// latest when Do commits.
type Store[ID, A any] interface {
	// Lock loads a record and locks it against other writers until the end of the
	// transaction; fault.NotFound if there is none.
	Lock(ctx context.Context, id ID) (A, error)
	// Add stores a new record and returns its id.
	Add(ctx context.Context, a A) (ID, error)
	// Save stores a record that was locked in this transaction and increments its version;
	// it does nothing if the record has not changed since Lock.
	Save(ctx context.Context, a A) error
	// Remove deletes a locked record.
	Remove(ctx context.Context, a A) error
}

// Users stores users. Usernames are unique, ignoring case: a duplicate is a fault.Invalid
// for the field username.
type Users interface {
	Lock(ctx context.Context, id user.ID) (*user.User, error)
	// LockByName is like Lock, by username, ignoring case.
	LockByName(ctx context.Context, username string) (*user.User, error)
	Add(ctx context.Context, u *user.User) (user.ID, error)
	Save(ctx context.Context, u *user.User) error
}

// Tokens stores access tokens.
type Tokens interface {
	// LockByPublicID is like Lock, by the public id of the token.
	LockByPublicID(ctx context.Context, publicID string) (*token.Token, error)
	Add(ctx context.Context, t *token.Token) (token.ID, error)
	Save(ctx context.Context, t *token.Token) error
}

// Statuses stores statuses.
type Statuses interface {
	Store[catalog.StatusID, *catalog.Status]
	// LockDefault locks and returns the default status; nil if there is none.
	LockDefault(ctx context.Context) (*catalog.Status, error)
}

// Parties stores the parties of performers and clients. Removing such a record removes its party.
type Parties interface {
	// Lock loads the party of a record that is locked, and locks it; one with the version 0 if there is none.
	Lock(ctx context.Context, owner party.Owner) (party.State, error)
	// Save stores a locked party, and increments its version.
	Save(ctx context.Context, owner party.Owner, s party.State) error
	// Remove deletes a locked party.
	Remove(ctx context.Context, owner party.Owner) error
}

// Pictures stores the pictures of performers that are locked. Removing a performer removes its pictures.
type Pictures interface {
	// Find returns the version and the SHA-256 digest of a picture; the version 0 if there is none.
	Find(ctx context.Context, owner performer.ID, kind performer.PictureKind) (version int64, digest string, err error)
	// Save stores a picture with a version, in place of the one that there is.
	Save(ctx context.Context, owner performer.ID, kind performer.PictureKind, version int64, p performer.Picture) error
	// Remove deletes a picture.
	Remove(ctx context.Context, owner performer.ID, kind performer.PictureKind) error
}

// Contacts stores contacts.
type Contacts interface {
	Store[contact.ID, *contact.Contact]
	// RemoveOf deletes the contacts with the link. The caller must have locked the client
	// or deal, so that none is added meanwhile.
	RemoveOf(ctx context.Context, link contact.Link) error
	// HandOver links the contacts of the deal to the client, as contact.HandTo does. The
	// caller must have locked the deal.
	HandOver(ctx context.Context, from deal.ID, to client.ID) error
}

// Payments stores payments with their items. Save increments the versions of the changed items. What items settle of invoices has to be
// saved with these.
type Payments interface {
	Store[payment.ID, *payment.Payment]
	// ByReference returns the id of the payment of the performer with the bank's reference; zero if there is none.
	ByReference(ctx context.Context, p performer.ID, reference string) (payment.ID, error)
	// Open returns the invoices of the client and the performer of which something with the sign of the amount is due, the oldest
	// first, without drafts, and at most payment.MaxItems.
	Open(ctx context.Context, p performer.ID, c client.ID, amount money.Amount) ([]invoice.ID, error)
	// Currency returns the currency of the performer; "" if it has none.
	Currency(ctx context.Context, p performer.ID) (string, error)
	// Of returns the payments that have an item for the invoice, by id, without the automatic one.
	Of(ctx context.Context, id invoice.ID) ([]payment.ID, error)
}

// Deals stores deals. Remove also deletes the history of the deal.
type Deals interface {
	Store[deal.ID, *deal.Deal]
	// HasInvoices reports whether an invoice belongs to the deal.
	HasInvoices(ctx context.Context, id deal.ID) (bool, error)
}

// Invoices stores invoices and their lines, which are ordered by ascending id. Add and
// Save assign ids to new lines, ascending in the order of the lines; the aggregate does
// not get them, so a caller that changes it further has to lock it again. Save increments
// the version of the invoice and those of the changed lines. Remove also deletes the
// lines; entries of the deal history stay, without the invoice.
//
// Save and Remove accept an invoice with any of its lines loaded.
type Invoices interface {
	// Lock loads the invoice with all its lines.
	Lock(ctx context.Context, id invoice.ID) (*invoice.Invoice, error)
	// LockHeader is like Lock, but loads no lines.
	LockHeader(ctx context.Context, id invoice.ID) (*invoice.Invoice, error)
	// LockHeaders is like LockHeader, for those of the invoices that exist, by id.
	LockHeaders(ctx context.Context, ids []invoice.ID) ([]*invoice.Invoice, error)
	// LockByLine locks the invoice that the line belongs to, and loads only that line;
	// fault.NotFound if there is no such line.
	LockByLine(ctx context.Context, id invoice.LineID) (*invoice.Invoice, error)
	// LockCredited is like LockHeader, for the invoice that the credit note with the id is for; nil if it is no credit note.
	LockCredited(ctx context.Context, note invoice.ID) (*invoice.Invoice, error)
	// LockCredits is like LockHeader, for the credit notes for the invoice, which has to be locked. It reports whether something is
	// left of the invoice.
	LockCredits(ctx context.Context, id invoice.ID) (notes []*invoice.Invoice, isLeft bool, err error)
	Add(ctx context.Context, inv *invoice.Invoice) (invoice.ID, error)
	// Reserve returns the id of the next invoice that is added with an id.
	Reserve(ctx context.Context) (invoice.ID, error)
	// Save returns the ids of the new lines, in their order.
	Save(ctx context.Context, inv *invoice.Invoice) ([]invoice.LineID, error)
	Remove(ctx context.Context, inv *invoice.Invoice) error
}
