package main

import (
	"context"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// PaidDealsMove gives a deal the status To when its last unpaid invoice is paid.
type PaidDealsMove struct{ To catalog.StatusID }

// Name identifies the reaction.
func (PaidDealsMove) Name() string { return "paid-deals-move" }

// React follows an invoice that is paid from now on.
func (r PaidDealsMove) React(ctx context.Context, c rule.Change[invoice.State], do rule.Actions) error {
	if c.After == nil || !c.After.Status.Paid() || c.Before != nil && c.Before.Status.Paid() {
		return nil
	}
	invoices, err := c.Facts.DealInvoices(ctx, c.After.DealID)
	if err != nil || invoices[invoice.NotPaid] > 0 {
		return err
	}
	return do.UpdateDeal(ctx, c.After.DealID, deal.Attributes{StatusID: domain.Some(r.To)})
}
