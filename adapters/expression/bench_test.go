package expression_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/expression"
	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

func BenchmarkJudge(b *testing.B) {
	for name, text := range map[string]string{
		"Compare": `after.status_id == 2 || after.paid`,
		"Decimal": `after.total_price < 5000 || actor.role == "admin"`,
		"Changed": `before == null || before.status_id == after.status_id || after.paid_on != null`,
		"Date":    `now - after.date < duration("2160h")`,
		"Fact":    `facts.unpaid_invoices(after.client_id).count < 5`,
		"Lines":   `after.items.all(i, i.total_price > -1000)`,
		"Number":  `after.number.matches("^R-[0-9]+$")`,
	} {
		b.Run(name, func(b *testing.B) {
			e, err := compile(b, "invoice", text, "no")
			if err != nil {
				b.Fatal(err)
			}
			in := sample()
			b.ReportAllocs()
			for b.Loop() {
				if j := e.Judge(context.Background(), in); !j.Passes {
					b.Fatal(j)
				}
			}
		})
	}
}

// BenchmarkCheck is a new invoice under 20 enforced rules, five of which ask for a fact.
func BenchmarkCheck(b *testing.B) {
	expressions := [2][]string{
		{
			`size(after.number) > 0`,
			`after.total_price >= 0`,
			`after.items.all(i, i.count > 0)`,
			`after.date < now || actor.role != "viewer"`,
			`operation != "create" || after.status_id == 2`,
		},
		{
			`facts.unpaid_invoices(after.client_id).count < 1000`,
			`!facts.number_taken(after.performer_id, after.date.getFullYear(), after.number, after.id)`,
			`facts.client_deals(after.client_id).total() < 1000`,
			`facts.deal_invoices(after.deal_id).not_paid < 1000`,
			`facts.deal_documents(after.deal_id).offers < 1000`,
		},
	}
	var stored repository.RuleSet
	for i := range 20 {
		of := expressions[0]
		if i >= 15 {
			of = expressions[1]
		}
		stored.Rules = append(stored.Rules, ruledef.State{
			Name: fmt.Sprint("rule-", i), Resource: "invoice", On: ruledef.Of(ruledef.Create), Expression: of[i%5],
			Message: "no", Mode: ruledef.Enforce, Source: ruledef.Typed,
		})
	}
	c, err := expression.NewCompiler(time.UTC)
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	registry, err := rule.NewRegistry(c, nil, rule.Timed(func() time.Duration { return time.Since(began) }))
	if err != nil {
		b.Fatal(err)
	}
	set, in := registry.Set(stored), sample()
	after := *in.After.(*invoice.State)
	after.Lines, after.TotalCount = slices.Repeat(after.Lines[:1], 5), 5
	change := rule.Change[invoice.State]{After: &after, Actor: in.Actor, At: in.At}
	b.ReportAllocs()
	for b.Loop() {
		var verdicts []rule.Verdict
		if err := rule.Invoices.Check(context.Background(), set, zeroFacts{}, change, &verdicts); err != nil || len(verdicts) != 20 {
			b.Fatal(err, verdicts)
		}
	}
}

// zeroFacts are facts that are all zero.
type zeroFacts struct{ repository.Facts }

func (zeroFacts) AnswerLocked(_ context.Context, questions []repository.Question) ([]repository.Answer, error) {
	return make([]repository.Answer, len(questions)), nil
}
