package query

import (
	"context"
	"slices"

	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Documents reads the documents of invoices and their pictures.
type Documents struct {
	repository.Documents
	pictures readmodel.Pictures
}

// NewDocuments returns a reader of documents with their pictures.
func NewDocuments(documents repository.Documents, pictures readmodel.Pictures) *Documents {
	return &Documents{documents, pictures}
}

// Pictures are the pictures of a document; nil for none.
type Pictures struct {
	Logo, Stamp, LeaderSignature, BookerSignature []byte
}

// maxPictureReads is how often a document is read again because its pictures have been replaced meanwhile.
const maxPictureReads = 3

// ReadPrinted is like Read, and also returns the pictures of the document if the form has them. A picture that cannot be
// read because it is replaced again and again is a fault.Unavailable.
func (x *Documents) ReadPrinted(ctx context.Context, id invoice.ID, f billing.Form) (billing.Document, Pictures, error) {
	for range maxPictureReads {
		d, err := x.Read(ctx, id)
		if err != nil {
			return d, Pictures{}, err
		}
		p := d.Pictures
		digests := slices.DeleteFunc([]string{p.Logo, p.Stamp, p.LeaderSignature, p.BookerSignature}, func(s string) bool { return s == "" })
		if len(digests) == 0 || !f.IsPrinted() {
			return d, Pictures{}, nil
		}
		contents, err := x.pictures.Contents(ctx, digests)
		if err != nil {
			return d, Pictures{}, err
		}
		if !slices.ContainsFunc(digests, func(digest string) bool { return contents[digest] == nil }) {
			return d, Pictures{contents[p.Logo], contents[p.Stamp], contents[p.LeaderSignature], contents[p.BookerSignature]}, nil
		}
	}
	return billing.Document{}, Pictures{}, fault.New(fault.Unavailable, "a picture of the document is being replaced; try again")
}
