package pgstore_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// noDealForDebtors and noInvoiceBesideDeals are two rules that two writers could break together,
// each by a change that the other one's rule does not see.
type noDealForDebtors struct{}

func (noDealForDebtors) Name() string { return "no-deal-for-debtors" }

func (noDealForDebtors) Check(ctx context.Context, c rule.Change[deal.State]) error {
	if c.Operation() != ruledef.Create || c.Cause == rule.OpenedForInvoice {
		return nil
	}
	unpaid, err := c.Facts.UnpaidInvoices(ctx, c.After.ClientID)
	if err != nil || unpaid.Count == 0 {
		return err
	}
	return fault.ForField(fault.Invalid, "client_id", "has unpaid invoices")
}

type noInvoiceBesideDeals struct{ limit int }

func (noInvoiceBesideDeals) Name() string { return "no-invoice-beside-deals" }

func (r noInvoiceBesideDeals) Check(ctx context.Context, c rule.Change[invoice.State]) error {
	deals, err := c.Facts.ClientDeals(ctx, c.After.ClientID)
	if err != nil {
		return err
	}
	n := 0
	for _, of := range deals {
		n += of
	}
	if n <= r.limit {
		return nil
	}
	return fault.ForField(fault.Invalid, "client_id", "has too many deals")
}

type atFixture struct{}

func (atFixture) Now() time.Time         { return fixture.At }
func (atFixture) Elapsed() time.Duration { return 0 }

var _ ports.Clock = atFixture{}

// useCases are those on the store under the rules.
func useCases(s store, rules *rule.Registry) (*command.Deals, *command.Invoices) {
	deals := command.NewDeals(s.Tx, atFixture{}, rules)
	return deals, command.NewInvoices(s.Tx, atFixture{}, rules, deals)
}

func (s store) manager() command.Request {
	return command.Request{Actor: access.Actor{UserID: s.office.Manager, Role: user.Manager}}
}

// together runs all of the writers at once, and counts those that succeed. The others must be
// refused by a rule.
func together(t *testing.T, all ...func(ctx context.Context) error) (succeeded int) {
	t.Helper()
	results := make([]error, len(all))
	var wg sync.WaitGroup
	for i, write := range all {
		wg.Go(func() { results[i] = write(t.Context()) })
	}
	wg.Wait()
	for _, err := range results {
		switch f := fault.As(err); {
		case err == nil:
			succeeded++
		case f == nil || f.Kind != fault.Invalid || f.Fields[0].Rule == "":
			t.Errorf("a writer ended with %v", err)
		}
	}
	return succeeded
}

func TestRulesOfTwoAggregatesHoldForConcurrentWriters(t *testing.T) {
	onStore(t, func(s store) {
		o, by := s.office, s.manager()
		deals, invoices := useCases(s, fixture.Must(rule.NewRegistry(nil, nil,
			rule.Deals.Rules(noDealForDebtors{}), rule.Invoices.Rules(noInvoiceBesideDeals{limit: 1}))))
		unpaid := fixture.Invoice(o)
		unpaid.Status = domain.Some(invoice.NotPaid)
		n := together(s.t,
			func(ctx context.Context) error {
				_, err := deals.Create(ctx, by, fixture.Deal(o.Client, o.DealType))
				return err
			},
			func(ctx context.Context) error {
				_, err := invoices.Create(ctx, by, unpaid)
				return err
			})
		if n != 1 {
			s.t.Errorf("%d writers have succeeded", n)
		}
	})
}

// typed is an enforced rule for new records.
func typed(resource, expression, message string) ruledef.Attributes {
	return ruledef.Attributes{
		Name: domain.Some("rule-" + message), Resource: domain.Some(resource), On: domain.Some([]string{"create"}),
		Expression: domain.Some(expression), Message: domain.Some(message), Mode: domain.Some("enforce"),
	}
}

// addRules stores the rules.
func addRules(s store, rules ...ruledef.Attributes) {
	s.t.Helper()
	s.do(func(ctx context.Context, st repository.Stores) error {
		for _, r := range rules {
			if _, err := st.Rules.Add(ctx, fixture.Must(ruledef.New(r, fixture.At))); err != nil {
				return err
			}
		}
		return nil
	})
}

// observed keeps the verdicts of writes.
type observed struct{ rules []string }

func (o *observed) Observe(verdicts []rule.Verdict) {
	for _, v := range verdicts {
		o.rules = append(o.rules, v.Rule+" "+v.Outcome.String())
	}
}

// underTyped are the use cases on the store, with typed rules.
func underTyped(s store, o rule.Observer) (*command.Deals, *command.Invoices) {
	return useCases(s, fixture.Must(rule.NewRegistry(fixture.Must(expression.NewCompiler(time.UTC)), o)))
}

// contract 12.96
func TestTypedRuleHoldsForConcurrentWriters(t *testing.T) {
	for name, rules := range map[string][]ruledef.Attributes{
		"a number":         {typed("invoice", `!facts.number_taken(after.performer_id, after.date.getFullYear(), after.number)`, "taken")},
		"a client's deals": {typed("deal", `facts.client_deals(after.client_id).total() < 4`, "many")},
		"a user's deals":   {typed("deal", `facts.user_deals(after.user_id).total() < 6`, "many")},
		"two rules on one client": {
			typed("deal", `facts.client_deals(after.client_id).total() < 4`, "many"),
			typed("deal", `facts.user_deals(after.user_id).total() < 7`, "users"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			onStore(t, func(s store) {
				o, by := s.office, s.manager() // one deal with the client, three of the manager
				addRules(s, rules...)
				deals, invoices := underTyped(s, nil)
				want := 3
				if name == "a number" {
					want = 1
				}
				var writers []func(ctx context.Context) error
				for range 6 {
					writers = append(writers, func(ctx context.Context) error {
						if name == "a number" {
							_, err := invoices.Create(ctx, by, fixture.Invoice(o))
							return err
						}
						_, err := deals.Create(ctx, by, fixture.Deal(o.Client, o.DealType))
						return err
					})
				}
				if n := together(s.t, writers...); n != want {
					s.t.Errorf("%d writers have succeeded, want %d", n, want)
				}
			})
		})
	}
}

// contract 12.97: rules that need facts are judged after the others.
func TestTypedRulesRefuseTogether(t *testing.T) {
	onStore(t, func(s store) {
		d := openDebts(s)
		addRules(s,
			typed("invoice", `facts.unpaid_invoices(after.client_id).count < 2`, "a"), typed("invoice", `after.total_price > 1000000`, "b"),
			typed("invoice", `facts.client_deals(after.client_id).total() < 9`, "c"))
		var seen observed
		_, invoices := underTyped(s, &seen)
		a := fixture.Invoice(d.Office)
		a.Number = domain.Some("")
		_, err := invoices.Create(s.t.Context(), s.manager(), a)
		var refusals []string
		for _, f := range fault.As(err).Fields {
			refusals = append(refusals, strings.Trim(f.Rule+" "+f.Name, " "))
		}
		s.expect([]string{"number", "rule-b", "rule-a"}, refusals)
		s.expect([]string{"rule-b refused", "rule-a refused", "rule-c passed"}, seen.rules)
	})
}
