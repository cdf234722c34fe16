package performer

import "time"

// SeriesKind is what a number series of a performer numbers: issued invoices or credit notes. A series has
// no gaps. The zero value is invalid; the numbers are those of the store.
type SeriesKind int16

// The kinds.
const (
	InvoiceSeries SeriesKind = 1
	CreditSeries  SeriesKind = 2
)

// SeriesKinds has all kinds.
var SeriesKinds = []SeriesKind{InvoiceSeries, CreditSeries}

// String returns the name of the kind.
func (k SeriesKind) String() string {
	if k == CreditSeries {
		return "credit"
	}
	return "invoice"
}

// SeriesID identifies a series.
type SeriesID struct {
	Performer ID
	Kind      SeriesKind
	Year      int // 0: the numbers go on over the years
}

// SeriesPlace is a place in a series. The documents of a series are chained: each is stored with its SHA-256,
// which covers that of its predecessor.
type SeriesPlace struct {
	SeriesID
	Seq      int64  // from 1
	Previous []byte // SHA-256 of the predecessor; nil for the first one
	// PreviousDate is the date of the predecessor, as package civil has it; zero for the first one.
	PreviousDate time.Time
}
