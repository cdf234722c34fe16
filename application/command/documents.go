package command

import (
	"context"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
)

// Documents changes one kind of a deal's papers. Their deal is not locked: that
// it is there, and stays as long as they do, is the store's promise.
type Documents[ID document.Identifier] struct {
	unit
	list func(s repository.Stores) repository.Documents[ID]
}

// Offers changes offers.
type Offers = Documents[document.OfferID]

// Contracts changes contracts.
type Contracts = Documents[document.ContractID]

// NewOffers makes the use cases of offers.
func NewOffers(tx repository.Tx, clock ports.Clock) *Offers {
	return &Offers{
		unit: unit{tx: tx, clock: clock},
		list: func(s repository.Stores) repository.Offers { return s.Offers },
	}
}

// NewContracts makes the use cases of contracts.
func NewContracts(tx repository.Tx, clock ports.Clock) *Contracts {
	return &Contracts{
		unit: unit{tx: tx, clock: clock},
		list: func(s repository.Stores) repository.Contracts { return s.Contracts },
	}
}

// Create adds a document and returns its id. A deal that is not there is a
// fault.Dangling.
func (u *Documents[ID]) Create(ctx context.Context, r Request, a document.Attributes) (ID, error) {
	return create(ctx, u.unit, r, access.Business, func(ctx context.Context, s repository.Stores, meta repository.Meta) (ID, error) {
		d, err := document.New[ID](a, meta.At)
		if err := fault.Join(r.unread(), err); err != nil {
			return 0, err
		}
		return u.list(s).Add(ctx, d)
	})
}

// Update changes what the attributes carry. A deal that is not there is a
// fault.Dangling.
func (u *Documents[ID]) Update(ctx context.Context, r Request, id ID, a document.Attributes) error {
	return change(ctx, u.unit, r, access.Business, id, func(ctx context.Context, s repository.Stores, _ repository.Meta) error {
		d, err := u.lock(ctx, r, s, id)
		if err != nil {
			return err
		}
		if err := fault.Join(r.unread(), d.Update(a)); err != nil {
			return err
		}
		return u.list(s).Save(ctx, d)
	})
}

// Delete removes a document.
func (u *Documents[ID]) Delete(ctx context.Context, r Request, id ID) error {
	return u.do(ctx, r, access.Business, func(ctx context.Context, s repository.Stores, _ repository.Meta) error {
		d, err := u.lock(ctx, r, s, id)
		if err != nil {
			return err
		}
		return u.list(s).Remove(ctx, d)
	})
}

// lock locks the document in the version that the caller expects.
func (u *Documents[ID]) lock(ctx context.Context, r Request, s repository.Stores, id ID) (*document.Document[ID], error) {
	d, err := u.list(s).Lock(ctx, id)
	if err != nil {
		return nil, err
	}
	return d, r.checkVersion(d.State().Version)
}
