package main

import (
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/application/rule/ruletest"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
)

func TestNumbersAreUnique(t *testing.T) {
	december := time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
	other := invoice.State{ID: 1, PerformerID: 3, Number: "A-7", Date: december}
	for name, c := range map[string]struct {
		invoice *invoice.State // nil: deleted
		refused bool
	}{
		"the number of another invoice": {&invoice.State{PerformerID: 3, Number: "A-7", Date: december.AddDate(0, -11, 0)}, true},
		"in another year":               {&invoice.State{PerformerID: 3, Number: "A-7", Date: december.AddDate(0, 0, 1)}, false},
		"of another performer":          {&invoice.State{PerformerID: 4, Number: "A-7", Date: december}, false},
		"another number":                {&invoice.State{PerformerID: 3, Number: "A-8", Date: december}, false},
		"deleted":                       {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			change := rule.Change[invoice.State]{After: c.invoice, Facts: ruletest.Records{Invoices: []invoice.State{other}}}
			if err := (NumbersAreUnique{}).Check(t.Context(), change); fault.Is(err, fault.Invalid) != c.refused {
				t.Errorf("%v, want a refusal: %v", err, c.refused)
			}
		})
	}
}
