// Package repository holds the interfaces of the write side: one for each
// aggregate, and the unit of work that joins them.
package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Meta is the user and the time of a change.
type Meta struct {
	UserID user.ID // zero: an operator at the command line
	At     time.Time
	// DryRun makes the unit of work store nothing: Do returns what it would return, new
	// records have placeholders for ids (readmodel.FirstPlaceholder), and no number that a
	// record would get is used up. Locks are taken as usual, until the end.
	DryRun bool
}

// Tx is the unit of work.
type Tx interface {
	// Do runs fn and commits what it changed, whole; if fn or the commit fails,
	// nothing is stored and the error is returned. Before the commit, what
	// changed is handed to the projections, whose rows are part of the same
	// transaction.
	//
	// fn may run several times, since a transaction that lost a deadlock is
	// tried again: it must have no effect but through its Stores, which are
	// good for this one run. The rejections are those of package fault;
	// fault.OutcomeUnknown says that the connection broke during the commit.
	Do(ctx context.Context, meta Meta, fn func(ctx context.Context, s Stores) error) error
}

// Stores are the repositories of one running transaction. All of them promise the
// same:
//
// Lock loads a record and keeps every other writer off it until the end of the
// transaction; fault.NotFound if there is none. Add stores a new record and
// returns its id. Save stores a record that was locked in this transaction and
// makes its version one higher; a record that does not differ from the one
// that was locked is left alone, and its version stays. Remove deletes a
// locked record. A reference to a record that does not exist is a
// fault.Dangling, a deletion that something still refers to a fault.Conflict,
// at the latest when Do commits.
//
// A use case that locks several records locks them in this order: users,
// statuses, clients, deals, invoices, contacts; of one kind, the lower id first.
// The default status is exempt: a writer that replaces it has locked a status. Reactions
// come after what they follow, in any order: a deadlock is retried.
type Stores struct {
	Users        Users
	Tokens       Tokens
	Statuses     Statuses
	DealTypes    DealTypes
	InvoiceTypes InvoiceTypes
	Performers   Performers
	Clients      Clients
	Contacts     Contacts
	Deals        Deals
	Offers       Offers
	Contracts    Contracts
	Invoices     Invoices
	// IdempotencyKeys stores the responses of creations that are executed once.
	IdempotencyKeys IdempotencyKeys
	// References looks up what a record refers to.
	References References
	// Rules keeps the stored rules.
	Rules Rules
	// Facts answers what rules ask.
	Facts Facts
	// View reads records as this transaction has left them so far.
	View readmodel.View
}

// Users keeps users. A username is unique, ignoring case: another one like it
// is a fault.Invalid naming the field username.
type Users interface {
	Lock(ctx context.Context, id user.ID) (*user.User, error)
	// LockByName is Lock by the username, ignoring case.
	LockByName(ctx context.Context, username string) (*user.User, error)
	Add(ctx context.Context, u *user.User) (user.ID, error)
	Save(ctx context.Context, u *user.User) error
}

// Tokens keeps access tokens.
type Tokens interface {
	// LockByPublicID is Lock by the part of the token that may be shown.
	LockByPublicID(ctx context.Context, publicID string) (*token.Token, error)
	// LockUsable locks the user's tokens that are usable at that time, by
	// ascending id.
	LockUsable(ctx context.Context, owner user.ID, at time.Time) ([]*token.Token, error)
	Add(ctx context.Context, t *token.Token) (token.ID, error)
	Save(ctx context.Context, t *token.Token) error
}

// Statuses keeps the statuses of deals.
type Statuses interface {
	Lock(ctx context.Context, id catalog.StatusID) (*catalog.Status, error)
	// LockDefault locks the default status; nil if there is none.
	LockDefault(ctx context.Context) (*catalog.Status, error)
	Add(ctx context.Context, s *catalog.Status) (catalog.StatusID, error)
	Save(ctx context.Context, s *catalog.Status) error
	Remove(ctx context.Context, s *catalog.Status) error
}

// Labels keeps the records of a reference list that are nothing but a label.
type Labels[ID catalog.LabelID] interface {
	Lock(ctx context.Context, id ID) (*catalog.Label[ID], error)
	Add(ctx context.Context, l *catalog.Label[ID]) (ID, error)
	Save(ctx context.Context, l *catalog.Label[ID]) error
	Remove(ctx context.Context, l *catalog.Label[ID]) error
}

// DealTypes keeps the types of deals.
type DealTypes = Labels[catalog.DealTypeID]

// InvoiceTypes keeps the types of invoices.
type InvoiceTypes = Labels[catalog.InvoiceTypeID]

// Performers keeps performers.
type Performers interface {
	Lock(ctx context.Context, id performer.ID) (*performer.Performer, error)
	Add(ctx context.Context, p *performer.Performer) (performer.ID, error)
	Save(ctx context.Context, p *performer.Performer) error
	Remove(ctx context.Context, p *performer.Performer) error
}

// Clients keeps clients.
type Clients interface {
	Lock(ctx context.Context, id client.ID) (*client.Client, error)
	Add(ctx context.Context, c *client.Client) (client.ID, error)
	Save(ctx context.Context, c *client.Client) error
	Remove(ctx context.Context, c *client.Client) error
}

// Contacts keeps contacts.
type Contacts interface {
	Lock(ctx context.Context, id contact.ID) (*contact.Contact, error)
	Add(ctx context.Context, c *contact.Contact) (contact.ID, error)
	Save(ctx context.Context, c *contact.Contact) error
	Remove(ctx context.Context, c *contact.Contact) error
	// RemoveOf deletes the contacts with the link. The writer has locked the client or
	// deal, so that none is added meanwhile.
	RemoveOf(ctx context.Context, link contact.Link) error
	// HandOver links the contacts of the deal to the client, as contact.HandTo does. The
	// writer has locked the deal.
	HandOver(ctx context.Context, from deal.ID, to client.ID) error
}

// Deals keeps deals and removes the history of a removed one.
type Deals interface {
	Lock(ctx context.Context, id deal.ID) (*deal.Deal, error)
	// HasInvoices reports whether an invoice belongs to the deal.
	HasInvoices(ctx context.Context, id deal.ID) (bool, error)
	Add(ctx context.Context, d *deal.Deal) (deal.ID, error)
	Save(ctx context.Context, d *deal.Deal) error
	Remove(ctx context.Context, d *deal.Deal) error
}

// Documents keeps one kind of a deal's documents.
type Documents[ID document.Identifier] interface {
	Lock(ctx context.Context, id ID) (*document.Document[ID], error)
	Add(ctx context.Context, d *document.Document[ID]) (ID, error)
	Save(ctx context.Context, d *document.Document[ID]) error
	Remove(ctx context.Context, d *document.Document[ID]) error
}

// Offers keeps the offers made in deals.
type Offers = Documents[document.OfferID]

// Contracts keeps the contracts concluded in deals.
type Contracts = Documents[document.ContractID]

// Invoices keeps invoices with their lines, by ascending id. Add and Save give
// new lines their ids, ascending in the order of the lines; the aggregate does
// not learn them, so a writer that changes it further locks it again. Save makes the
// version of the invoice one higher, and of its lines that of those that differ.
// Remove takes the lines along and leaves the entries of the deal's history
// without the invoice.
//
// Save and Remove accept an invoice whichever of its lines are loaded.
type Invoices interface {
	// Lock loads the invoice with all its lines.
	Lock(ctx context.Context, id invoice.ID) (*invoice.Invoice, error)
	// LockHeader is Lock without the lines.
	LockHeader(ctx context.Context, id invoice.ID) (*invoice.Invoice, error)
	// LockByLine locks the invoice that the line belongs to, and loads of its lines that
	// one; fault.NotFound if there is no such line.
	LockByLine(ctx context.Context, id invoice.LineID) (*invoice.Invoice, error)
	Add(ctx context.Context, inv *invoice.Invoice) (invoice.ID, error)
	// Save returns the ids of the new lines, in their order.
	Save(ctx context.Context, inv *invoice.Invoice) ([]invoice.LineID, error)
	Remove(ctx context.Context, inv *invoice.Invoice) error
}
