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

// Place is a place in a series. The documents of a series are chained: each is stored with its SHA-256,
// which covers that of its predecessor.
type Place struct {
	ID
	Seq      int64  // from 1
	Previous []byte // SHA-256 of the predecessor; nil for the first one
}
