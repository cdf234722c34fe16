package pgstore

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/documents"
	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/test/einvoice"
)

// contract 16.13
func TestStoredDocumentPrintsAsBefore(t *testing.T) {
	for seed := range uint64(40) {
		d := billing.New(einvoice.Sample(seed, 8))
		first, err := encodeDocument(d)
		if err != nil {
			t.Fatal(err)
		}
		read, err := decodeDocument(first)
		if err != nil {
			t.Fatal(err)
		}
		again, err := encodeDocument(read)
		if err != nil || !bytes.Equal(first, again) {
			t.Fatalf("stored again: %v\n%s\n%s", err, first, again)
		}
		for _, f := range billing.Forms {
			if a, b := written(t, d, f), written(t, read, f); a != b {
				t.Errorf("seed %d: %s differs", seed, f)
			}
			if a, b := billing.Check(d, f), billing.Check(read, f); !reflect.DeepEqual(a, b) {
				t.Errorf("seed %d: %s lacks %v, not %v", seed, f, b, a)
			}
		}
	}
}

func written(t *testing.T, d billing.Document, f billing.Form) string {
	t.Helper()
	var b strings.Builder
	if err := documents.Write(t.Context(), &b, d, f, paper.Pictures{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// contract 16.13
func TestStoredDocumentOfAnotherProgramIsAnError(t *testing.T) {
	good, err := encodeDocument(billing.New(einvoice.Sample(1, 0)))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{{`"Version":1`, `"Version":2`}, {`"Number"`, `"Nummer"`}, {`}`, ``}} {
		if _, err := decodeDocument([]byte(strings.Replace(string(good), change[0], change[1], 1))); err == nil {
			t.Errorf("%s is read", change[1])
		}
	}
}
