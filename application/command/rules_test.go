package command_test

import (
	"context"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/test/fixture"
)

// recorded is a rule that keeps the changes it is asked about and gives one verdict
// on all of them.
type recorded[S any] struct {
	name    string
	asked   []rule.Change[S]
	verdict error
}

func (r *recorded[S]) Name() string { return "recorded" + r.name }

func (r *recorded[S]) Check(_ context.Context, c rule.Change[S]) error {
	r.asked = append(r.asked, c)
	return r.verdict
}

func forbidden() error { return fault.New(fault.Forbidden, "not today") }

// withRules is an office whose deals and invoices have these rules.
func withRules(o *office, deals *recorded[deal.State], invoices *recorded[invoice.State]) {
	deals.name = "-deals"
	rules := registry(o.t, rule.Deals.Rules(deals), rule.Invoices.Rules(invoices))
	o.deals = command.NewDeals(o.store, o.clock, rules)
	o.invoices = command.NewInvoices(o.store, o.clock, rules, o.deals)
}

func TestDealRulesAreAskedAboutADealThatAnInvoiceOpens(t *testing.T) {
	t.Parallel()
	o := open(t)
	deals := &recorded[deal.State]{verdict: forbidden()}
	withRules(o, deals, &recorded[invoice.State]{})
	_, err := o.invoices.Create(t.Context(), o.other(), without(o))
	rejected(t, err, fault.Forbidden)
	if len(deals.asked) == 0 {
		t.Fatal("the rules of deals were not asked")
	}
	c := deals.asked[0]
	if c.Cause != rule.OpenedForInvoice || c.Before != nil || c.After.ClientID != o.Client || c.Actor.UserID != o.Other {
		t.Errorf("they were asked about %+v of %+v", c, c.After)
	}
}

// contract 3.25
func TestRuleThatForbidsComesBeforeVersionAndFields(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := issue(o, fixture.Invoice(o.Office))
	line := o.invoice(id).Lines[0].ID
	rules := &recorded[invoice.State]{verdict: forbidden()}
	withRules(o, &recorded[deal.State]{}, rules)
	stale := expecting(o.manager(), 77)
	wrong := invoice.Attributes{Number: domain.Some(""), Notice: domain.Some("x"), DealID: domain.Some(o.OtherDeal)}
	wrongLine := invoice.LineAttributes{Name: domain.Some("")}

	_, err := o.invoices.Create(t.Context(), o.manager(), wrong)
	rejected(t, err, fault.Forbidden)
	rejected(t, o.invoices.Update(t.Context(), stale, id, wrong), fault.Forbidden)
	if c := rules.asked[len(rules.asked)-1]; c.Before.Notice == "x" || c.After.Notice != "x" || c.After.DealID != o.OtherDeal || c.After.Number == "" {
		t.Errorf("the rule was asked about %+v", c.After)
	}
	rejected(t, o.invoices.Delete(t.Context(), stale, id), fault.Forbidden)
	rejected(t, o.invoices.ChangeLine(t.Context(), stale, line, wrongLine), fault.Forbidden)
	rejected(t, o.invoices.RemoveLine(t.Context(), stale, line), fault.Forbidden)
	_, err = o.invoices.AddLine(t.Context(), o.manager(), id, wrongLine)
	rejected(t, err, fault.Forbidden)
	if c := rules.asked[len(rules.asked)-1]; c.Before == nil || c.Before.ID != id {
		t.Error("a new line is not judged as a change of its invoice")
	}
}

func TestInvoiceRulesSeeTheInvoiceAsItWouldBeStored(t *testing.T) {
	t.Parallel()
	o := open(t)
	id := issue(o, fixture.Invoice(o.Office))
	rules := &recorded[invoice.State]{}
	withRules(o, &recorded[deal.State]{}, rules)
	before := o.invoice(id)
	succeed(t, o.invoices.RemoveLine(t.Context(), o.manager(), before.Lines[0].ID))
	if c := rules.asked[0]; c.After.TotalCount != before.TotalCount-1 || c.After.TotalPrice.Equal(before.TotalPrice) {
		t.Errorf("the rule was asked about %+v", c.After)
	}
}

// observed counts verdicts.
type observed int

func (o *observed) Observe(verdicts []rule.Verdict) { *o += observed(len(verdicts)) }

// contract 4.96
func TestDryRunReportsVerdictsThatAreNotCounted(t *testing.T) {
	t.Parallel()
	o := open(t)
	var counted observed
	rules, err := rule.NewRegistry(nil, &counted, rule.Clients.Rules(&recorded[client.State]{}))
	if err != nil {
		t.Fatal(err)
	}
	clients := command.NewClients(o.store, o.clock, rules)
	r := o.manager()
	r.Report = &rule.Report{}
	for _, dryRun := range []bool{true, false} {
		r.DryRun = dryRun
		_ = done[client.ID](t)(clients.Create(t.Context(), r, fixture.Company()))
		if isCounted := counted > 0; isCounted == dryRun || len(r.Report.Verdicts) != 1 {
			t.Errorf("dry run %v: %d verdicts are counted and %d reported", dryRun, counted, len(r.Report.Verdicts))
		}
	}
}
