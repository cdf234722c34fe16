package command

import (
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Agreements are the use cases that change agreements of one kind. They do not lock
// the deal: the store ensures that it exists as long as its agreements do. A deal that does not exist is a fault.Dangling.
type Agreements[ID agreement.Identifier] = Plain[ID, *agreement.Agreement[ID], agreement.State[ID], agreement.Attributes]

// Offers are the use cases that change offers.
type Offers = Agreements[agreement.OfferID]

// Contracts are the use cases that change contracts.
type Contracts = Agreements[agreement.ContractID]

// NewOffers returns the use cases of offers.
func NewOffers(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Offers {
	store := func(s repository.Stores) repository.Store[agreement.OfferID, *agreement.Offer] { return s.Offers }
	return newAgreements(base{tx, clock, rules, access.Business}, rule.Offers, store)
}

// NewContracts returns the use cases of contracts.
func NewContracts(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Contracts {
	store := func(s repository.Stores) repository.Store[agreement.ContractID, *agreement.Contract] {
		return s.Contracts
	}
	return newAgreements(base{tx, clock, rules, access.Business}, rule.Contracts, store)
}

func newAgreements[ID agreement.Identifier](
	b base, k rule.Kind[agreement.State[ID]], store func(s repository.Stores) repository.Store[ID, *agreement.Agreement[ID]],
) *Agreements[ID] {
	return &Agreements[ID]{
		records: records[ID, *agreement.Agreement[ID], agreement.State[ID]]{
			base: b, repo: store, kind: k,
			version: func(s agreement.State[ID], _ ID) int64 { return s.Version },
		},
		make: func(w work, a agreement.Attributes) (*agreement.Agreement[ID], error) {
			return agreement.New[ID](a, w.At)
		},
		amend: func(d *agreement.Agreement[ID], a agreement.Attributes, _ time.Time) error { return d.Update(a) },
		references: func(before, after agreement.State[ID]) (refs references) {
			refs.ids.Deal = changed(before.DealID, after.DealID)
			return refs
		},
	}
}
