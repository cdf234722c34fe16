package storetest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/observe"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// typed is an enforced rule for new records.
func typed(resource, expression, message string) ruledef.Attributes {
	return ruledef.Attributes{
		Name: optional.Some("rule-" + message), Resource: optional.Some(resource), On: optional.Some([]string{"create"}),
		Expression: optional.Some(expression), Message: optional.Some(message), Mode: optional.Some("enforce"),
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

var projected = []pgstore.Projection{pgstore.DealHistory{}, pgstore.ReadModels{}}

// contract 12.96
func TestTypedRuleHoldsForConcurrentWriters(t *testing.T) {
	for name, rules := range map[string][]ruledef.Attributes{
		"a number":         {typed("invoice", `!facts.number_taken(after.performer_id, after.date.getFullYear(), after.number, after.id)`, "taken")},
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
	onBoth(t, func(s store) {
		d := openDebts(s)
		addRules(s,
			typed("invoice", `facts.unpaid_invoices(after.client_id).count < 2`, "a"), typed("invoice", `after.total_price > 1000000`, "b"),
			typed("invoice", `facts.client_deals(after.client_id).total() < 9`, "c"))
		var seen observed
		_, invoices := underTyped(s, &seen)
		a := fixture.Invoice(d.Office)
		a.Number = optional.Some("")
		_, err := invoices.Create(s.t.Context(), d.request(), a)
		var refusals []string
		for _, f := range fault.As(err).Fields {
			refusals = append(refusals, strings.Trim(f.Rule+" "+f.Name, " "))
		}
		s.expect([]string{"rule-b", "rule-a", "number"}, refusals)
		s.expect([]string{"rule-b refused", "rule-a refused", "rule-c passed"}, seen.rules)
	})
}

// trips records what is sent to the database, by round trip.
type trips struct{ sent []string }

func (r *trips) Begin(ctx context.Context, s observe.Statement) context.Context {
	r.sent = append(r.sent, s.Text)
	return ctx
}

func (r *trips) End(context.Context, observe.Outcome) {}

// contract 12.98
func TestFactsNeedNoRoundTripOfTheirOwn(t *testing.T) {
	t.Parallel()
	var sent trips
	pool, err := postgres.Open(t.Context(), postgres.Config{
		URL: pgtest.URL(t), MaxConns: 1, StatementTimeout: 20 * time.Second, LockTimeout: 5 * time.Second, Zone: "UTC", Observer: &sent,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	s := store{Tx: pgstore.NewTx(pool, projected), t: t}
	d := openDebts(s)
	_, invoices := underTyped(s, nil)
	ctx := context.WithValue(t.Context(), observe.Key{}, new(observe.Request))
	issued := 0
	issue := func() (trips []string, locks int) {
		t.Helper()
		issued++
		a := fixture.Invoice(d.Office)
		a.DealID, a.Number = optional.Of[deal.ID]{}, optional.Some(fmt.Sprint("N-", issued))
		r := d.request()
		r.Response = &command.Response{
			Resource: readmodel.Invoices, Selection: &readmodel.Selection{Paths: []string{"id"}, Type: -1},
			Encode: func(int64, *readmodel.Rows) ([]byte, error) { return nil, nil },
		}
		if _, err := invoices.Create(ctx, r, a); err != nil {
			t.Fatal(err)
		}
		sent.sent = nil
		if _, err := invoices.Create(ctx, r, a); err != nil {
			t.Fatal(err)
		}
		return sent.sent, strings.Count(strings.Join(sent.sent, ""), "advisory")
	}
	without, locks := issue()
	if locks > 0 {
		t.Errorf("without rules subjects are locked: %s", cmp.Diff([]string{}, without))
	}
	addRules(s,
		typed("invoice", `facts.unpaid_invoices(after.client_id).count < 99`, "a"), typed("invoice", `facts.user_deals(after.user_id).total() < 99`, "b"),
		typed("invoice", `!facts.number_taken(after.performer_id, 2019, after.number, after.id)`, "c"))
	with, locks := issue()
	if len(with) != len(without) || locks == 0 {
		t.Errorf("%d round trips with %d locks, want %d\n%s", len(with), locks, len(without), cmp.Diff(without, with))
	}
}
