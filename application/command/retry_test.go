package command_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// retryingTx rolls the first attempt of a unit of work back, like a deadlock, and runs it
// again after another writer.
type retryingTx struct {
	repository.Tx
	between func()
}

func (tx *retryingTx) Do(ctx context.Context, meta repository.Meta, fn func(ctx context.Context, s repository.Stores) error) error {
	deadlock := errors.New("deadlock")
	err := tx.Tx.Do(ctx, meta, func(ctx context.Context, s repository.Stores) error {
		if err := fn(ctx, s); err != nil {
			return err
		}
		return deadlock
	})
	if !errors.Is(err, deadlock) {
		return err
	}
	tx.between()
	return tx.Tx.Do(ctx, meta, fn)
}

// contract 3.15, 10.53
func TestInvoiceUpdateRetriedTakesTheClientThatTheDealHasThen(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := issue(o, fixture.Invoice(o.Office))
	third := done[client.ID](t)(o.clients.Create(t.Context(), o.manager(), fixture.Company()))
	retrying := &retryingTx{Tx: o.store, between: func() {
		moved := deal.Attributes{ClientID: domain.Some(third)}
		succeed(t, o.deals.Update(t.Context(), o.manager(), o.OtherDeal, moved))
	}}
	invoices := command.NewInvoices(retrying, o.clock, registry(t), o.deals)
	succeed(t, invoices.Update(t.Context(), o.manager(), id, underDeal(o.OtherDeal)))
	if got := o.invoice(id); got.DealID != o.OtherDeal || got.ClientID != third {
		t.Errorf("it belongs to the deal %d and the client %d, want %d and %d", got.DealID, got.ClientID, o.OtherDeal, third)
	}
}

// contract 3.15, 10.53
func TestInvoiceUpdateRetriedForgetsADealThatIsGone(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := issue(o, fixture.Invoice(o.Office))
	retrying := &retryingTx{Tx: o.store, between: func() {
		succeed(t, o.deals.Delete(t.Context(), o.manager(), o.OtherDeal))
	}}
	invoices := command.NewInvoices(retrying, o.clock, registry(t), o.deals)
	rejected(t, invoices.Update(t.Context(), o.manager(), id, underDeal(o.OtherDeal)), fault.Dangling, "deal_id")
}
