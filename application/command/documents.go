package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Documents are the use cases that change documents of one kind. They do not lock
// the deal: the store ensures that it exists as long as its documents do.
type Documents[ID document.Identifier] struct {
	records[ID, *document.Document[ID], document.State[ID]]
}

// Offers are the use cases that change offers.
type Offers = Documents[document.OfferID]

// Contracts are the use cases that change contracts.
type Contracts = Documents[document.ContractID]

// NewOffers returns the use cases of offers.
func NewOffers(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Offers {
	store := func(s repository.Stores) repository.Store[document.OfferID, *document.Offer] { return s.Offers }
	return newDocuments(base{tx, clock, rules, access.Business}, rule.Offers, store)
}

// NewContracts returns the use cases of contracts.
func NewContracts(tx repository.Tx, clock ports.Clock, rules *rule.Registry) *Contracts {
	store := func(s repository.Stores) repository.Store[document.ContractID, *document.Contract] {
		return s.Contracts
	}
	return newDocuments(base{tx, clock, rules, access.Business}, rule.Contracts, store)
}

func newDocuments[ID document.Identifier](
	b base, k rule.Kind[document.State[ID]], store func(s repository.Stores) repository.Store[ID, *document.Document[ID]],
) *Documents[ID] {
	return &Documents[ID]{records[ID, *document.Document[ID], document.State[ID]]{
		base:    b,
		repo:    store,
		kind:    k,
		version: func(s document.State[ID], _ ID) int64 { return s.Version },
	}}
}

// Create adds a document and returns its id. A deal that does not exist is a
// fault.Dangling.
func (u *Documents[ID]) Create(ctx context.Context, r Request, a document.Attributes) (ID, error) {
	return u.create(ctx, r, func(_ context.Context, w work) (d draft[*document.Document[ID], document.State[ID]], _ error) {
		record, invalid := document.New[ID](a, w.At)
		d = draftOf(document.State[ID]{}.With(a), record, invalid)
		d.references = documentReferences(document.State[ID]{}, d.proposed)
		return d, nil
	})
}

// Update sets the attributes that are present. A deal that does not exist is a
// fault.Dangling.
func (u *Documents[ID]) Update(ctx context.Context, r Request, id ID, a document.Attributes) error {
	e := editOf(
		func(_ context.Context, _ work, d *document.Document[ID]) error { return d.Update(a) },
		func(_ work, before document.State[ID]) document.State[ID] { return before.With(a) })
	e.references = documentReferences[ID]
	return u.update(ctx, r, id, e)
}

// Delete deletes a document.
func (u *Documents[ID]) Delete(ctx context.Context, r Request, id ID) error {
	return u.remove(ctx, r, id, nil, nil)
}

func documentReferences[ID document.Identifier](before, after document.State[ID]) (refs references) {
	refs.ids.Deal = changed(before.DealID, after.DealID)
	return refs
}
