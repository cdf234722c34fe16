package data

import (
	"fmt"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/performer"
	"github.com/kontor-crm/kontor/domain/user"
)

// Numbers of records that do not depend on the size.
const (
	Users      = 200
	Performers = 20
)

// The limits of the size. The proportions are the same for all sizes.
const (
	MinClients = 100
	MaxClients = 100_000_000
)

// Options choose a data set.
type Options struct {
	Clients int
	Seed    uint64
}

// Validate returns an error for invalid options.
func (o Options) Validate() error {
	if o.Clients < MinClients || o.Clients > MaxClients {
		return fmt.Errorf("the number of clients must be from %d to %d", MinClients, MaxClients)
	}
	return nil
}

// kind separates the random numbers of one kind of record from those of others.
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

// Company is a made-up company with all its records. It may be read by several
// goroutines.
type Company struct {
	seed     uint64
	calendar calendar
	count    counts
	ranks    permutation // of clients, the biggest at place 0
	steep    int         // of the ranks

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

// countsFor is how many records there are for that many clients. Each count is
// proportional to the number of clients, so it also applies to a chunk.
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

// New prepares what all records share.
func New(o Options) (*Company, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	n := uint64(o.Clients)
	b := &Company{
		seed:     o.Seed,
		calendar: newCalendar(),
		count:    countsFor(n),
		ranks:    newPermutation(n, scramble(o.Seed+uint64(ofOrder))),
		steep:    steepnessFor(n, biggestShare),
	}
	b.count.lines = b.linesBefore(b.count.invoices)
	if err := b.makeLists(); err != nil {
		return nil, err
	}
	return b, nil
}

// random is the random numbers of the n-th record of a kind.
func (b *Company) random(of kind, n uint64) random { return randomOf(b.seed, of, n) }

// opened is when the company was founded.
func (b *Company) opened() time.Time { return b.calendar.at(0) }
