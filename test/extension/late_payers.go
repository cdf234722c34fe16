package main

import (
	"context"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
)

// NoDealsForLatePayers refuses deals of a client who has not paid an invoice for
// more than Days days.
type NoDealsForLatePayers struct{ Days int }

// Name identifies the rule.
func (NoDealsForLatePayers) Name() string { return "no-deals-for-late-payers" }

// Check looks at deals that are new to the client.
func (r NoDealsForLatePayers) Check(ctx context.Context, c rule.Change[deal.State]) error {
	if c.After == nil || c.After.ClientID == 0 || c.Before != nil && c.Before.ClientID == c.After.ClientID {
		return nil
	}
	unpaid, err := c.Facts.UnpaidInvoices(ctx, c.After.ClientID)
	if err != nil || unpaid.Count == 0 || !unpaid.Oldest.Before(c.At.AddDate(0, 0, -r.Days)) {
		return err
	}
	return fault.ForField(fault.Invalid, "client_id", "has not paid an invoice of %s", unpaid.Oldest.Format("2006-01-02"))
}
