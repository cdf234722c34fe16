package main

import (
	"testing"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/application/rule/ruletest"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
)

func TestDiscountsNeedAdmin(t *testing.T) {
	line := func(id invoice.LineID, total string) invoice.Line {
		return invoice.Line{ID: id, Total: ruletest.Amount(t, total)}
	}
	stored := invoice.State{ID: 1, Lines: []invoice.Line{line(1, "110"), line(2, "-9")}}
	for name, c := range map[string]struct {
		role    user.Role
		changed []invoice.Line // of two: those that the change concerns, after it
		total   string
		refused bool
	}{
		"a manager adds a discount up to 10 %":    {user.Manager, []invoice.Line{line(0, "-1")}, "100", false},
		"a manager adds a discount above 10 %":    {user.Manager, []invoice.Line{line(0, "-1.01")}, "99.99", true},
		"an admin adds a discount above 10 %":     {user.Admin, []invoice.Line{line(0, "-50")}, "51", false},
		"a manager adds a line":                   {user.Manager, []invoice.Line{line(0, "50")}, "151", false},
		"a manager changes what is not in a line": {user.Manager, nil, "10", false},
	} {
		t.Run(name, func(t *testing.T) {
			after := invoice.State{ID: 1, Lines: c.changed, TotalCount: 2 + len(c.changed), TotalPrice: ruletest.Amount(t, c.total)}
			err := DiscountsNeedAdmin{Percent: 10}.Check(t.Context(), rule.Change[invoice.State]{Before: &invoice.State{ID: 1}, After: &after,
				Actor: access.Actor{Role: c.role}, Facts: ruletest.Records{Invoices: []invoice.State{stored}}})
			if fault.Is(err, fault.Forbidden) != c.refused {
				t.Errorf("%v, want a refusal: %v", err, c.refused)
			}
		})
	}
}
