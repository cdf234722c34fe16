package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Agreements are the use cases that change agreements of one kind. They do not lock
// the deal: the store ensures that it exists as long as its agreements do.
type Agreements[ID agreement.Identifier] struct {
	records[ID, *agreement.Agreement[ID], agreement.State[ID]]
}

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
	return &Agreements[ID]{records[ID, *agreement.Agreement[ID], agreement.State[ID]]{
		base:    b,
		repo:    store,
		kind:    k,
		version: func(s agreement.State[ID], _ ID) int64 { return s.Version },
	}}
}

// Create adds an agreement and returns its id. A deal that does not exist is a
// fault.Dangling.
func (u *Agreements[ID]) Create(ctx context.Context, r Request, a agreement.Attributes) (ID, error) {
	return u.create(ctx, r, func(_ context.Context, w work) (d draft[*agreement.Agreement[ID], agreement.State[ID]], _ error) {
		record, invalid := agreement.New[ID](a, w.At)
		d = draftOf(agreement.State[ID]{}.With(a), record, invalid)
		d.references = agreementReferences(agreement.State[ID]{}, d.proposed)
		return d, nil
	})
}

// Update sets the attributes that are present. A deal that does not exist is a
// fault.Dangling.
func (u *Agreements[ID]) Update(ctx context.Context, r Request, id ID, a agreement.Attributes) error {
	e := editOf(
		func(_ context.Context, _ work, d *agreement.Agreement[ID]) error { return d.Update(a) },
		func(_ work, before agreement.State[ID]) agreement.State[ID] { return before.With(a) })
	e.references = agreementReferences[ID]
	return u.update(ctx, r, id, e)
}

// Delete deletes an agreement.
func (u *Agreements[ID]) Delete(ctx context.Context, r Request, id ID) error {
	return u.remove(ctx, r, id, nil, nil)
}

func agreementReferences[ID agreement.Identifier](before, after agreement.State[ID]) (refs references) {
	refs.ids.Deal = changed(before.DealID, after.DealID)
	return refs
}
