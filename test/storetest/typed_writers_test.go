package storetest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

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
	s.t.Helper()
	rules := fixture.Must(rule.NewRegistry(fixture.Must(expression.NewCompiler(time.UTC)), o))
	deals := command.NewDeals(s.Tx, atFixture{}, rules)
	return deals, command.NewInvoices(s.Tx, atFixture{}, rules, deals)
}

func (d debts) request() command.Request {
	return command.Request{Actor: access.Actor{UserID: d.Manager, Role: user.Manager}}
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
			t.Parallel()
			s := store{Tx: pgstore.NewTx(openPool(t, 10*time.Second), projected), t: t}
			o := fixture.Open(t, s) // one deal with the client, three of the manager
			addRules(s, rules...)
			deals, invoices := underTyped(s, nil)
			by := debts{Office: o}.request()
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
			if n := together(t, writers...); n != want {
				t.Errorf("%d writers have succeeded, want %d", n, want)
			}
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
		_, err := invoices.Create(s.t.Context(), d.request(), a)
		var refusals []string
		for _, f := range fault.As(err).Fields {
			refusals = append(refusals, strings.Trim(f.Rule+" "+f.Name, " "))
		}
		s.expect([]string{"number", "rule-b", "rule-a"}, refusals)
		s.expect([]string{"rule-b refused", "rule-a refused", "rule-c passed"}, seen.rules)
	})
}
