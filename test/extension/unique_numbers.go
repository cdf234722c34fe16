package main

import (
	"context"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// NumbersAreUnique refuses a number that the performer has given another invoice in the year.
type NumbersAreUnique struct{}

// Name identifies the rule.
func (NumbersAreUnique) Name() string { return "numbers-are-unique" }

// Check looks at every invoice that stays.
func (NumbersAreUnique) Check(ctx context.Context, c rule.Change[invoice.State]) error {
	if c.After == nil {
		return nil
	}
	i := c.After
	taken, err := c.Facts.NumberTaken(ctx, i.PerformerID, i.Date.Year(), i.Number)
	if err != nil || !taken {
		return err
	}
	return fault.ForField(fault.Invalid, "number", "is the number of another invoice of %d", i.Date.Year())
}
