package data

import (
	"fmt"
	"time"

	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
)

// dealSummary is the part of a deal that other records depend on.
type dealSummary struct {
	since  moment
	client client.ID // zero: none
	user   user.ID
	status catalog.StatusID
}

// isProspect reports whether the n-th deal has no client yet. The first one has.
func (b *Company) isProspect(n uint64) bool {
	d := b.random(ofProspect, n)
	return d.below(32) == 0 && n > 0
}

// prospectBefore is the id of the last prospect among the first n deals; zero if
// there is none.
func (b *Company) prospectBefore(n uint64) deal.ID {
	for n > 0 && !b.isProspect(n-1) {
		n--
	}
	return deal.ID(n)
}

// dealSummary is the summary of the n-th deal.
func (b *Company) dealSummary(n uint64) dealSummary {
	d := b.random(ofDeal, n)
	o := dealSummary{since: b.moment(ofDeal, n, b.count.deals)}
	if b.isProspect(n) {
		o.user = user.ID(1 + d.skewed(writers, steep))
		o.status = catalog.StatusID(1 + d.below(3))
		return o
	}
	c := b.clientAt(&d, o.since)
	o.client, o.user = client.ID(c+1), b.owner(c)
	if d.percent(20) {
		o.user = user.ID(1 + d.skewed(writers, steep))
	}
	o.status = catalog.StatusID(1 + d.skewed(uint64(len(b.statuses)), gentle))
	return o
}

// tries is how often a client is drawn by rank.
const tries = 64

// clientAt is a client that existed at a moment, drawn with a probability that
// depends on its rank.
func (b *Company) clientAt(d *random, m moment) uint64 {
	there := createdBy(m, b.count.clients)
	for range tries {
		if c := b.clientOfRank(d.skewed(b.count.clients, b.steep)); c < there {
			return c
		}
	}
	return d.below(there)
}

// clientOfRank is the client of a rank, 0 being the biggest. The number of deals
// of a client depends on its rank and its age: the biggest one is old enough to
// have its share of all deals, and the next ones are too young to have more.
func (b *Company) clientOfRank(rank uint64) uint64 {
	const big = 64
	all := b.count.clients
	switch {
	case rank == 0:
		return 3 * all / 8
	case rank < big:
		return all/4 + b.ranks.at(rank)/2
	default:
		return b.ranks.at(rank)
	}
}

// deal is the n-th deal, counted from 0.
func (b *Company) deal(n uint64) (deal.State, error) {
	o := b.dealSummary(n)
	d := b.random(ofDealText, n)
	at := b.calendar.at(o.since)
	last, version := changes(&d, o.since)
	a := deal.Attributes{
		Name:     some(fmt.Sprintf("%s %s %d", pick(&d, undertakings), pick(&d, b.products).thing, at.Year())),
		ClientID: optional.Some(o.client),
		StatusID: optional.Some(o.status),
	}
	if d.percent(85) {
		a.TypeID = optional.Some(catalog.DealTypeID(1 + d.skewed(uint64(len(b.dealTypes)), gentle)))
	}
	made, err := deal.New(o.user, 0, a, at)
	if err != nil {
		return deal.State{}, fmt.Errorf("deal %d: %w", n+1, err)
	}
	s := made.State()
	s.ID, s.Version, s.UpdatedAt = deal.ID(n+1), version, b.calendar.at(last)
	return s, nil
}

// dealAt is a deal with a client that was created shortly before a moment.
func (b *Company) dealAt(d *random, m moment) uint64 {
	there := createdBy(m, b.count.deals)
	n := there - 1 - d.skewed(min(there, b.count.deals/16), abrupt)
	for b.isProspect(n) {
		n--
	}
	return n
}

// offer is the n-th offer.
func (b *Company) offer(n uint64) (document.State[document.OfferID], error) {
	return newDocument[document.OfferID](b, ofOffer, n, b.count.offers, "A")
}

// contract is the n-th contract.
func (b *Company) contract(n uint64) (document.State[document.ContractID], error) {
	return newDocument[document.ContractID](b, ofContract, n, b.count.contracts, "V")
}

// newDocument is the n-th document of a kind.
func newDocument[ID document.Identifier](b *Company, of kind, n, all uint64, series string) (document.State[ID], error) {
	d := b.random(of, n)
	m := b.moment(of, n, all)
	at := b.calendar.at(m)
	a := document.Attributes{
		DealID: optional.Some(deal.ID(1 + b.dealAt(&d, m))),
		Number: some(fmt.Sprintf("%s-%d-%06d", series, at.Year(), n+1)),
	}
	if d.percent(80) {
		a.Date = optional.Some(at.Truncate(24 * time.Hour))
	}
	if d.percent(30) {
		a.Notice = some(pick(&d, remarks))
	}
	made, err := document.New[ID](a, at)
	if err != nil {
		return document.State[ID]{}, fmt.Errorf("document %s%d: %w", series, n+1, err)
	}
	s := made.State()
	s.ID, s.Version = ID(n+1), 1
	return s, nil
}
