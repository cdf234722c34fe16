package data

import (
	"fmt"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

// Variant says how the matches of a filter lie.
type Variant string

// The variants.
const (
	Spread  Variant = "spread"  // all over the books
	Bunched Variant = "bunched" // some of them together: see OldWord and BusyMonth
)

// What is in the books whatever their size.
const (
	Users      = 200
	Performers = 20
)

// The sizes that books can have. The proportions hold for all of them.
const (
	MinClients = 100
	MaxClients = 100_000_000
)

// Options say which books are wanted.
type Options struct {
	Clients int
	Seed    uint64
	Variant Variant
}

// Validate says what is wrong with the options.
func (o Options) Validate() error {
	if o.Clients < MinClients || o.Clients > MaxClients {
		return fmt.Errorf("the number of clients must be from %d to %d", MinClients, MaxClients)
	}
	if _, known := seasons[o.Variant]; !known {
		return fmt.Errorf("the variant must be %s or %s", Spread, Bunched)
	}
	return nil
}

// kind tells the chances of one kind of record from those of others.
type kind uint64

const (
	ofClient kind = iota + 1
	ofOwner
	ofContact
	ofDeal
	ofDealText
	ofProspect
	ofOffer
	ofContract
	ofInvoice
	ofLineCounts
	ofLine
	ofProduct
	ofUser
	ofOrder
	burstOf kind = 100 // and the kind
	delayOf kind = 200 // and the kind
)

// Books are one company's. They may be read by several goroutines.
type Books struct {
	seed     uint64
	variant  Variant
	calendar calendar
	count    counts
	ranks    scatter // of clients, the biggest at place 0
	steep    int     // of the ranks

	users        []*user.User
	statuses     []*catalog.Status
	dealTypes    []*catalog.DealType
	invoiceTypes []*catalog.InvoiceType
	performers   []*performer.Performer
	products     []product
}

// counts is how many records there are of each kind that grows.
type counts struct {
	clients, deals, contacts, offers, contracts, invoices, lines, history uint64
}

// countsFor is how many records the books of so many clients have. Each grows
// with the number of clients, so that it also says how many records a part of
// the books has.
func countsFor(clients uint64) counts {
	return counts{
		clients:   clients,
		deals:     2 * clients,
		contacts:  3 * clients / 2,
		offers:    3 * clients / 5,
		contracts: clients / 4,
		invoices:  3 * clients,
		history:   5 * clients,
	}
}

// New works out what all records share.
func New(o Options) (*Books, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	n := uint64(o.Clients)
	b := &Books{
		seed:     o.Seed,
		variant:  o.Variant,
		calendar: newCalendar(o.Variant),
		count:    countsFor(n),
		ranks:    newScatter(n, scramble(o.Seed+uint64(ofOrder))),
		steep:    steepnessFor(n, biggestShare),
	}
	b.count.lines = b.linesBefore(b.count.invoices)
	if err := b.makeLists(); err != nil {
		return nil, err
	}
	return b, nil
}

// die is the die of the n-th record of a kind.
func (b *Books) die(of kind, n uint64) die { return dieOf(b.seed, of, n) }

// opened is when the company opened its books.
func (b *Books) opened() time.Time { return b.calendar.at(0) }
