package main

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/application/rule/ruletest"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
)

func TestNoDealsForLatePayers(t *testing.T) {
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	none, late, prompt := (*deal.State)(nil), &deal.State{ClientID: 7}, &deal.State{ClientID: 8}
	for name, c := range map[string]struct {
		days          int // since the date of the invoice
		status        invoice.Status
		before, after *deal.State
		refused       bool
	}{
		"a new deal, and an invoice unpaid for 61 days": {61, invoice.NotPaid, none, late, true},
		"a new deal, and an invoice unpaid for 60 days": {60, invoice.NotPaid, none, late, false},
		"a new deal, and an invoice paid after 61 days": {61, invoice.Paid, none, late, false},
		"a new deal of another client":                  {61, invoice.NotPaid, none, prompt, false},
		"a deal that moves from another client":         {61, invoice.NotPaid, prompt, late, true},
		"a deal that stays with the client":             {61, invoice.NotPaid, late, late, false},
		"a deal that is deleted":                        {61, invoice.NotPaid, late, none, false},
	} {
		t.Run(name, func(t *testing.T) {
			change := rule.Change[deal.State]{Before: c.before, After: c.after, At: now, Facts: ruletest.Records{
				Invoices: []invoice.State{{ClientID: 7, Status: c.status, Date: now.AddDate(0, 0, -c.days)}},
			}}
			if err := (NoDealsForLatePayers{Days: 60}).Check(t.Context(), change); fault.Is(err, fault.Invalid) != c.refused {
				t.Errorf("%v, want a refusal: %v", err, c.refused)
			}
		})
	}
}
