package main

import (
	"context"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
)

// DiscountsNeedAdmin refuses negative lines above Percent of the total, except from admins.
type DiscountsNeedAdmin struct{ Percent int }

// Name identifies the rule.
func (DiscountsNeedAdmin) Name() string { return "discounts-need-admin" }

// Check looks at changes of lines.
func (r DiscountsNeedAdmin) Check(ctx context.Context, c rule.Change[invoice.State]) error {
	if c.Actor.Role == user.Admin || !rule.ConcernsLines(c) {
		return nil
	}
	lines, err := rule.Lines(ctx, c)
	if err != nil || invoice.Discount(lines).Compare(c.After.TotalPrice.Percent(r.Percent)) <= 0 {
		return err
	}
	return fault.ForField(fault.Forbidden, "items", "have discounts above %d %% of the total, which need an admin", r.Percent)
}
