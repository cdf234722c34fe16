package repository

import (
	"context"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/party"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

// References looks up records that another record refers to.
type References interface {
	// Find looks up all of them in one round trip; without ids, in none.
	Find(ctx context.Context, ids ReferenceIDs) (Referred, error)
	// LockByRef returns the id of the record of the resource that has the ref, and locks it as Store.Lock
	// does; zero if there is none.
	LockByRef(ctx context.Context, resource, ref string) (int64, error)
}

// ReferenceIDs are the records to look up. Zero is none.
type ReferenceIDs struct {
	Client        client.ID
	Deal          deal.ID
	LockedDeal    deal.ID // as Deal, and locked
	User          user.ID
	Performer     performer.ID
	Number        string // of an invoice of the performer
	DealType      catalog.DealTypeID
	InvoiceType   catalog.InvoiceTypeID
	Status        catalog.StatusID
	DefaultStatus bool // which status is the default
}

// Count returns the number of records to look up, without the default status.
func (r ReferenceIDs) Count() (n int) {
	for _, id := range []int64{
		int64(r.Client), int64(r.Deal), int64(r.LockedDeal), int64(r.User), int64(r.Performer),
		int64(r.DealType), int64(r.InvoiceType), int64(r.Status),
	} {
		if id != 0 {
			n++
		}
	}
	return n
}

// Referred has the parts of the records that were found that writers need.
type Referred struct {
	// Missing is a fault.Dangling that names the fields of all records that do
	// not exist and of a disabled user; nil if there are none.
	Missing       error
	ClientUser    user.ID          // who is responsible for the client
	Deal          *deal.Deal       // the locked one
	Terms         performer.Terms  // of the performer
	PaymentDays   *int32           // of the client's party, or else of the performer's
	Early         party.Discount   // in the same way
	Trade         party.TradeTerms // in the same way
	IsSeries      bool             // issuing numbers the invoices of the performer
	IsIssued      bool             // a series of the performer has given the number
	DefaultStatus catalog.StatusID // zero if there is none
}
