package series

import "github.com/kontor-crm/kontor/domain/performer"

// Kind is what a series numbers. The zero value is invalid; the numbers are those of the store.
type Kind int16

// The kinds.
const (
	Invoice Kind = 1
	Credit  Kind = 2
)

// Kinds has all kinds.
var Kinds = []Kind{Invoice, Credit}

// String returns the name of the kind.
func (k Kind) String() string {
	if k == Credit {
		return "credit"
	}
	return "invoice"
}

// ID identifies a series.
type ID struct {
	Performer performer.ID
	Kind      Kind
	Year      int // 0: the numbers go on over the years
}

// Place is a place in a series. The documents of a series are chained: each is stored with the SHA-256 of its predecessor's
// and itself.
type Place struct {
	ID
	Seq      int64  // from 1
	Previous []byte // SHA-256 of the predecessor; nil for the first one
}

// Standing is how far a series has come.
type Standing struct {
	Kind  Kind
	Year  int
	First string // number
	Last  string
	Next  string
	Count int64 // of stored documents
	Gaps  int64 // numbers without a document: 0 unless somebody has deleted one from the database
}
