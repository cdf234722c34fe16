package query_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// replaced are documents whose logo is another one at each read, up to the last.
type replaced struct {
	pictures []billing.Pictures
	reads    int
}

func (r *replaced) Read(_ context.Context, id invoice.ID) (billing.Document, error) {
	if id != 1 {
		return billing.Document{}, fault.New(fault.NotFound, "there is no such invoice")
	}
	d := billing.Document{Number: "7", Pictures: r.pictures[min(r.reads, len(r.pictures)-1)]}
	r.reads++
	return d, nil
}

// stored are the contents of pictures by their digests.
type stored map[string][]byte

func (stored) Read(context.Context, performer.ID, performer.PictureKind) (readmodel.Picture, error) {
	return readmodel.Picture{}, nil
}

var errDisk = errors.New("disk failure")

func (s stored) Contents(_ context.Context, digests []string) (map[string][]byte, error) {
	found := map[string][]byte{}
	for _, d := range digests {
		if d == "broken" {
			return nil, errDisk
		}
		if content, ok := s[d]; ok {
			found[d] = content
		}
	}
	return found, nil
}

// contract 16.23
func TestDocumentIsReadWithItsPictures(t *testing.T) {
	contents := stored{"l": []byte("logo"), "s": []byte("stamp"), "b": []byte("booker")}
	all := billing.Pictures{Logo: "l", Stamp: "s", BookerSignature: "b"}
	printed := query.Pictures{Logo: contents["l"], Stamp: contents["s"], BookerSignature: contents["b"]}
	lost := billing.Pictures{Logo: "gone"}
	for name, tt := range map[string]struct {
		pictures []billing.Pictures
		form     billing.Form
		want     query.Pictures
		reads    int
		err      fault.Kind
	}{
		"printed":            {[]billing.Pictures{all}, billing.PDF, printed, 1, 0},
		"electronic":         {[]billing.Pictures{all}, billing.UBL, query.Pictures{}, 1, 0},
		"without pictures":   {[]billing.Pictures{{}}, billing.PDF, query.Pictures{}, 1, 0},
		"replaced meanwhile": {[]billing.Pictures{lost, lost, {Logo: "l"}}, billing.HTML, query.Pictures{Logo: contents["l"]}, 3, 0},
		"replaced again":     {[]billing.Pictures{lost}, billing.FacturX, query.Pictures{}, 3, fault.Unavailable},
	} {
		documents := &replaced{pictures: tt.pictures}
		d, got, err := query.NewDocuments(documents, contents).ReadPrinted(t.Context(), 1, tt.form)
		if diff := cmp.Diff(tt.want, got); diff != "" || documents.reads != tt.reads {
			t.Errorf("%s: %d reads, -want +got\n%s", name, documents.reads, diff)
		}
		if tt.err == 0 && (err != nil || d.Number != "7") || tt.err != 0 && !fault.Is(err, tt.err) {
			t.Errorf("%s: document %q, %v", name, d.Number, err)
		}
	}
	broken := &replaced{pictures: []billing.Pictures{{Logo: "broken"}}}
	if _, _, err := query.NewDocuments(broken, contents).ReadPrinted(t.Context(), 1, billing.PDF); !errors.Is(err, errDisk) {
		t.Errorf("pictures that cannot be read: %v", err)
	}
	if _, _, err := query.NewDocuments(broken, contents).ReadPrinted(t.Context(), 2, billing.PDF); !fault.Is(err, fault.NotFound) {
		t.Errorf("no invoice: %v", err)
	}
}
