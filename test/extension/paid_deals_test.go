package main

import (
	"testing"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/application/rule/ruletest"
	"github.com/kontor-crm/kontor/domain/invoice"
)

func TestPaidDealsMove(t *testing.T) {
	in := func(s invoice.Status) *invoice.State { return &invoice.State{DealID: 4, Status: s} }
	const unpaid, paid, closed, cancelled = invoice.NotPaid, invoice.Paid, invoice.Closed, invoice.Cancelled
	for name, c := range map[string]struct {
		before, after *invoice.State
		other         *invoice.State // of the same deal
		moves         bool
	}{
		"one of two is paid, and the other was": {in(unpaid), in(paid), in(closed), true},
		"it is paid and closed":                 {in(unpaid), in(closed), in(paid), true},
		"it is paid from the beginning":         {nil, in(paid), in(paid), true},
		"the other is cancelled":                {in(unpaid), in(paid), in(cancelled), true},
		"the other is not paid":                 {in(unpaid), in(paid), in(unpaid), false},
		"a paid one is closed":                  {in(paid), in(closed), in(paid), false},
		"it is cancelled":                       {in(unpaid), in(cancelled), in(paid), false},
		"it is deleted":                         {in(unpaid), nil, in(paid), false},
	} {
		t.Run(name, func(t *testing.T) {
			records, done := ruletest.Records{Invoices: []invoice.State{*c.other}}, ruletest.Actions{}
			if c.after != nil {
				records.Invoices = append(records.Invoices, *c.after)
			}
			change := rule.Change[invoice.State]{Before: c.before, After: c.after, Facts: records}
			err := PaidDealsMove{To: 5}.React(t.Context(), change, &done)
			if moved := done.Deals[4].StatusID.Or(0) == 5; err != nil || moved != c.moves || !moved && done.Deals != nil {
				t.Errorf("%v and %v, want it to move: %v", err, done.Deals, c.moves)
			}
		})
	}
}
