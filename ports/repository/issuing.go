package repository

import (
	"context"
	"time"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
)

// Issuing stores number series and the documents of issued invoices.
type Issuing interface {
	// Source returns what a document says beside the invoice. Writes that would change the performer, its party or its pictures wait
	// until the end of the transaction, and the content of the pictures is kept. It first does what Facts.Protect announces for all
	// that the unit of work has locked or changed, so that nothing but a series needs to be locked after it.
	Source(ctx context.Context, p performer.ID, c client.ID) (billing.Source, error)
	// Draw returns the next place in the series, and locks the series until the end of the transaction.
	Draw(ctx context.Context, id performer.SeriesID) (performer.SeriesPlace, error)
	// Store stores the document at the place that was drawn for it.
	Store(ctx context.Context, place performer.SeriesPlace, d billing.Document) error
	// Kinds returns the kinds of the performer's series that have a number. Whoever issues a document of the performer waits until the
	// end of the transaction.
	Kinds(ctx context.Context, p performer.ID) ([]performer.SeriesKind, error)
	// Taken returns a number by the pattern that an invoice of the performer has and no series has given; empty if none has.
	Taken(ctx context.Context, p performer.ID, pattern performer.SeriesPattern) (number string, err error)
	// Document returns the stored document of the invoice; nil if there is none, because no series has numbered it.
	Document(ctx context.Context, id invoice.ID) (*billing.Document, error)
	// Credited returns what the credit notes of the invoice have, and the day at the time in the time zone of the service.
	Credited(ctx context.Context, id invoice.ID, at time.Time) (f invoice.Former, day time.Time, err error)
}

// Documents reads documents of invoices.
type Documents interface {
	// Read returns the document of the invoice with the id, or a fault.NotFound: of an issued one as it was issued. It is consistent:
	// all values are from one snapshot.
	Read(ctx context.Context, id invoice.ID) (billing.Document, error)
}
