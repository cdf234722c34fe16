package expression_test

import (
	"context"
	"testing"
	"unicode/utf8"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

// Whatever the text: it compiles or has a reason, and a judgement passes, refuses with a message,
// asks or fails.
func FuzzCompileAndJudge(f *testing.F) {
	texts := []string{
		`true`, `after.total_price < 5000 || actor.role == "admin"`, `before == null || before.status_id == after.status_id`,
		`after.items.all(i, i.price > 0)`, `after.items.filter(i, i.total_price < 0).map(i, -i.total_price).sum() * 10 > after.total_price`,
		`now - after.date < duration("2160h") && after.date.getFullYear() == 2026`, `facts.unpaid_invoices(after.client_id).count < 5`,
		`facts.client(after.client_id).email != "" && facts.client_contacts(after.client_id).all(c, c.phone != "")`,
		`facts.client_deals(after.client_id)[1] == 0 ? facts.deal_documents(after.deal_id).offers > 0 : before.items.size() == 2`,
		`!facts.number_taken(after.performer_id, after.date.getFullYear(), after.number)`, `after.number.matches("^R-[0-9]+$")`,
		`after.notice.lower().trim() != "" && has(after.paid_on) && after.total_price in [decimal("1.5"), decimal(3)]`,
		`[1, 2].exists_one(x, x * 2 == 4) && "a" + string(1.5) == 'a1.5'`, `facts.user_deals(actor.id).total([1, 2]) % 2 == 0`,
		`after.items[0].name == b"x"`, `{"a": 1u}["a"] == null`, `((((1))))`, "\x00", `date("2026-01-01") == timestamp("2025-12-31T23:00:00Z")`,
	}
	messages := []string{"no", `="Invoice " + after.number`, `=string(facts.unpaid_invoices(after.client_id).sum)`, "=", `=after.items.map(i, i.name)[0]`}
	variables := []string{"after.total_price", "facts.client(after.client_id)", "after.items.map(i, i.name)", "variables.w", "[]", "1 / 0", "before"}
	messages = append(messages, `=string(variables.v)`)
	texts = append(texts, `variables.v > 10`, `variables.v.email != ""`, `variables.v.size() == 2 || variables.v[0] == variables.w`, `variables.w`, `has(variables.v)`)
	var cases [][]any
	for i, text := range texts {
		cases = append(cases, []any{text, messages[i%len(messages)], variables[i%len(variables)], "note", int64(i), int64(100 * i)})
	}
	fuzzseed.Add(f, cases...)
	f.Fuzz(func(t *testing.T, text, message, variable, notice string, shape, price int64) {
		e, err := compiler.Compile(ruledef.State{
			Name: "fuzzed", Resource: "invoice", Variables: list("v = "+variable, "w = after.number"), Expression: text, Message: message,
		})
		if err != nil {
			refused := fault.As(err)
			if refused == nil || len(refused.Fields) == 0 || !utf8.ValidString(refused.Message) {
				t.Fatalf("%q, %q: %v", text, message, err)
			}
			return
		}
		e.Facts()
		answered := map[repository.Question]bool{}
		in := fuzzed(notice, shape, price)
		in.Fact = func(q repository.Question) (repository.Answer, bool) {
			return repository.Answer{Count: int(shape), Lines: in.lines}, answered[q]
		}
		for range 20 {
			j := e.Judge(context.Background(), in.Input)
			if j.Err == nil && !j.Passes && len(j.Missing) == 0 && j.Message == "" {
				t.Fatalf("%q, %q: it refuses without a message", text, message)
			}
			if len(j.Missing) == 0 {
				break
			}
			for _, q := range j.Missing {
				if answered[q] {
					t.Fatalf("%q, %q: it asks twice for %+v", text, message, q)
				}
				answered[q] = true
			}
		}
	})
}

// change is a change of an invoice, and its stored lines.
type change struct {
	rule.Input
	lines []invoice.Line
}

// fuzzed is a change of a shape: of a new, a changed or a deleted invoice, with all lines or one.
func fuzzed(notice string, shape, price int64) change {
	c := change{Input: sample()}
	before, after := *c.Before.(*invoice.State), *c.After.(*invoice.State)
	c.lines = after.Lines
	before.Notice, after.Number, after.ID = notice, notice, invoice.ID(price)
	after.Status = invoice.Status(shape & 7)
	if shape&8 != 0 {
		after.TotalCount++
		after.Lines = after.Lines[:1]
	}
	c.Before, c.After = &before, &after
	switch shape & 48 {
	case 16:
		c.Before = nil
	case 32:
		c.After = nil
	}
	return c
}
