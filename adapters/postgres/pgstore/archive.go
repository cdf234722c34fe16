package pgstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/kontor-crm/kontor/domain/billing"
)

const archiveVersion = 1

// archived is a billing document in the database, where an issued one stays as it was printed.
//
// Chose: JSON of the value, with the names of its fields. Because: it has one form for the same document, since fields have an
// order and numbers are texts, and remains readable without this program. Costs: the name of a field of billing.Document is
// part of stored data: a renamed or removed one takes another version here, and a new one has to be fine if it is zero.
type archived struct {
	Version  int
	Document billing.Document
}

// encodeDocument returns the document as it is stored: the same bytes for the same document.
func encodeDocument(d billing.Document) ([]byte, error) {
	return json.Marshal(archived{archiveVersion, d})
}

// decodeDocument returns the stored document. An unknown version or field is an error, because what was printed would not be
// complete.
func decodeDocument(stored []byte) (billing.Document, error) {
	var e archived
	decoder := json.NewDecoder(bytes.NewReader(stored))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		return billing.Document{}, fmt.Errorf("read a stored document: %w", err)
	}
	if e.Version != archiveVersion {
		return billing.Document{}, fmt.Errorf("read a stored document: its version is %d", e.Version)
	}
	return e.Document, nil
}

// documentSum returns the SHA-256 under which a stored document is chained to its predecessor, which has the sum previous; nil: it
// is the first one.
func documentSum(previous, stored []byte) []byte {
	h := sha256.New()
	h.Write(previous)
	h.Write(stored)
	return h.Sum(nil)
}
