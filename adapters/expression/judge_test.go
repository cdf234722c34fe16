package expression_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
)

// The questions of the sample.
var (
	unpaid    = repository.Question{Kind: repository.UnpaidInvoicesOfClient, ID: 31, Except: itself}
	deals     = repository.Question{Kind: repository.DealsOfClient, ID: 31}
	documents = repository.Question{Kind: repository.AgreementsOfDeal, ID: 58}
	stored    = repository.Question{Kind: repository.LinesOfInvoice, ID: 7}
)

func TestJudgeReportsAllMissingFactsAtOnce(t *testing.T) {
	const (
		first  = `facts.unpaid_invoices(after.client_id).count > 100`
		second = `facts.client_deals(after.client_id)[1] > 100`
		third  = `facts.deal_documents(after.deal_id).offers > 100`
	)
	for text, want := range map[string][]repository.Question{
		first + " && " + second + " && " + third:                                                           {unpaid, deals, documents},
		first + " || " + second + " || " + third:                                                           {unpaid, deals, documents},
		first + " ? " + second + " : " + third:                                                             {unpaid}, // the others depend on it
		"!(" + first + ") && [1, 2].all(x, " + second + ") || " + third:                                    {unpaid, deals, documents},
		"(" + first + " ? 1 : 2) == (" + second + " ? 3 : 4)":                                              {unpaid, deals},
		first + " && " + first:                                                                             {unpaid},
		first + " && after.paid && " + second:                                                              {unpaid, deals},
		first + " && before.paid && " + second:                                                             nil,             // it is false in any case
		"(" + first + " && before.paid) || " + second:                                                      {unpaid, deals}, // more than it needs
		"after.paid ? " + first + " : " + second:                                                           {unpaid},
		`before.paid ? ` + first + ` : after.items.exists(i, i.name == "x" && ` + third + `) || ` + second: {deals},
		`facts.unpaid_invoices(null).count == 0 || ` + second:                                              nil, // nothing is asked about no client
	} {
		in := sample()
		in.Fact = nil
		if diff := cmp.Diff(want, judge(t, text, in).Missing); diff != "" {
			t.Errorf("%s: -want +got\n%s", text, diff)
		}
		in.Fact = known
		if j := judge(t, text, in); j.Missing != nil || j.Err != nil {
			t.Errorf("%s, with all facts: %+v", text, j)
		}
	}
}

func TestJudgeNeedsAnotherRoundForDependentFacts(t *testing.T) {
	const text = `facts.client_deals(facts.deal_documents(after.deal_id).offers)[1] == 0`
	in := sample()
	in.Fact = func(q repository.Question) (repository.Answer, bool) {
		return repository.Answer{Offers: 9}, q == documents
	}
	want := []repository.Question{{Kind: repository.DealsOfClient, ID: 9}}
	if diff := cmp.Diff(want, judge(t, text, in).Missing); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestJudgeLimitsQuestions(t *testing.T) {
	in := sample()
	in.Fact = nil
	s := *in.After.(*invoice.State)
	s.Lines = nil
	for id := range 101 {
		s.Lines = append(s.Lines, invoice.Line{ID: invoice.LineID(id + 1)})
	}
	s.TotalCount = len(s.Lines)
	in.After = &s
	const text = `after.items.filter(i, facts.client_deals(i.id)[1] > 0).size() == 0`
	if j := judge(t, text, in); j.Err == nil || j.Err.Error() != "it asks for more than 100 facts at once" {
		t.Errorf("101 questions: %+v", j)
	}
	s.Lines, s.TotalCount = s.Lines[:100], 100
	if j := judge(t, text, in); len(j.Missing) != 100 {
		t.Errorf("of 100 questions, it reports %d, %v", len(j.Missing), j.Err)
	}
}

// Lines of a change that are not all lines are completed by the stored ones.
func TestItemsAreAllLines(t *testing.T) {
	in := sample()
	before, after := *in.Before.(*invoice.State), *in.After.(*invoice.State)
	line := func(id invoice.LineID, name string) invoice.Line {
		return invoice.Line{ID: id, Name: name, Count: quantity("1"), Price: amount("1"), Total: amount("1")}
	}
	before.Lines, before.TotalCount = []invoice.Line{line(2, "Window")}, 3
	after.Lines, after.TotalCount = []invoice.Line{line(2, "Gate"), line(0, "Fence")}, 4
	in.Before, in.After = &before, &after
	all := []invoice.Line{line(1, "Door"), line(2, "Window"), line(3, "Step")}
	in.Fact = func(q repository.Question) (repository.Answer, bool) {
		return repository.Answer{Lines: all}, q == stored
	}
	for _, text := range []string{
		`before.items.map(i, i.name) == ["Door", "Window", "Step"]`,
		`after.items.map(i, i.name) == ["Door", "Gate", "Step", "Fence"]`,
		`after.items.size() == after.total_count && before.items.size() == before.total_count`,
	} {
		if j := judge(t, text, in); !j.Passes || j.Err != nil {
			t.Errorf("%s: %+v", text, j)
		}
	}
	in.Fact = nil
	for _, text := range []string{
		`before.items.exists(i, i.name == "Step")`, `after.items.all(i, i.price > 0)`, `after.items[3].name == ""`, `after.items.map(i, i.price).sum() > 0`,
		`has(after.items) && size(after.items) > 0`,
	} {
		if diff := cmp.Diff([]repository.Question{stored}, judge(t, text, in).Missing); diff != "" {
			t.Errorf("%s: -want +got\n%s", text, diff)
		}
	}
}

func TestMessageIsATextOrAnExpression(t *testing.T) {
	long := strings.Repeat("ä", 2000)
	for message, want := range map[string]string{
		"Ask the owner.": "Ask the owner.",
		`="Invoice " + after.number + " of " + after.date.day() + ": " + string(after.total_price)`: "Invoice R-17 of 2026-01-01: 90.01",
		`= actor.role + "\n\u0007 may not"`: "manager   may not",
		`= ""`:                              "is refused by the rule limit",
		`= "` + long[:900] + `" + "` + long[:900] + `" + "` + long[:900] + `"`: strings.Repeat("ä", 1023) + "…",
		`= string(1 / 0)`: "is refused by the rule limit, whose message cannot be evaluated: division by zero",
	} {
		e, err := compile(t, "invoice", "false", message)
		if err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		if j := e.Judge(context.Background(), sample()); j.Passes || j.Err != nil || j.Message != want {
			t.Errorf("%s: %+v, want %s", message, j, want)
		}
	}
}

func TestMessageFactsAreAskedOnRefusal(t *testing.T) {
	e, err := compile(t, "invoice", `operation == "delete"`, `= string(facts.unpaid_invoices(after.client_id).count) + " invoices are not paid"`)
	if err != nil || !e.Facts().Has(repository.UnpaidInvoicesOfClient) {
		t.Fatal(err)
	}
	in := sample()
	in.Fact = nil
	if diff := cmp.Diff([]repository.Question{unpaid}, e.Judge(context.Background(), in).Missing); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	in.Fact = known
	if j := e.Judge(context.Background(), in); j.Message != "3 invoices are not paid" {
		t.Errorf("got %+v", j)
	}
	in.After, in.Fact = nil, nil
	if j := e.Judge(context.Background(), in); !j.Passes || j.Missing != nil {
		t.Errorf("what passes asks for the message: %+v", j)
	}
}

func TestJudgeReportsErrors(t *testing.T) {
	for text, want := range map[string]string{
		`1 / (after.total_count - 2) == 0`:               "division by zero",
		`after.items[2].name == ""`:                      "index out of bounds: 2",
		`before.paid_on == null && before.paid_on < now`: "a function or operator gets null where it needs a value",
		`after.items[1].id > 5`:                          "a function or operator gets null where it needs a value",
		`facts.client(99).email != ""`:                   "a fact if there is no such record",
		`int(after.number) > 0`:                          "type conversion error from 'string' to 'int'",
		`decimal(after.number) > 0`:                      `decimal("R-17"): must be a decimal number`,
		`after.total_count * 9223372036854775807 > 0`:    "integer overflow",
	} {
		if j := judge(t, text, sample()); j.Passes || j.Err == nil || !strings.Contains(j.Err.Error(), want) {
			t.Errorf("%s: %+v, want %s", text, j, want)
		}
	}
}

func TestExpressionIsSafeForConcurrentUse(t *testing.T) {
	e, err := compile(t, "invoice", `after.items.all(i, i.price < 0) && facts.client_deals(after.id)[1] == 0`, `= after.number + " " + string(after.id)`)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for id := range 8 {
		group.Go(func() {
			in := sample()
			in.After.(*invoice.State).ID = invoice.ID(id + 1)
			for range 50 {
				if j, want := e.Judge(context.Background(), in), fmt.Sprint("R-17 ", id+1); j.Message != want {
					t.Errorf("got %+v, want %s", j, want)
				}
			}
		})
	}
	group.Wait()
}

func TestExpressionTellsWhichFactsItReads(t *testing.T) {
	for _, tt := range []struct {
		text, message string
		facts         repository.FactKinds
	}{
		{`before.number == after.number`, "no", 0},
		{`after.items.all(i, i.price > 0)`, "no", 0},
		{`facts.deal_invoices(after.deal_id).paid > 0`, "no", repository.FactsOf(repository.InvoicesOfDeal)},
		{`true`, "=string(facts.deal_invoices(after.deal_id).paid)", repository.FactsOf(repository.InvoicesOfDeal)},
	} {
		e, err := compile(t, "invoice", tt.text, tt.message)
		if err != nil {
			t.Fatal(err)
		}
		if e.Facts() != tt.facts {
			t.Errorf("%s: facts %b, want %b", tt.text, e.Facts(), tt.facts)
		}
	}
}

// tables are the attributes of the API, by resource.
var tables = map[string]*readmodel.Resource{
	"client": readmodel.Clients, "contact": readmodel.Contacts, "contract": readmodel.Contracts, "deal": readmodel.Deals, "deal-type": readmodel.DealTypes,
	"invoice": readmodel.Invoices, "invoice-type": readmodel.InvoiceTypes, "offer": readmodel.Offers, "payment": readmodel.Payments, "performer": readmodel.Performers,
	"status": readmodel.Statuses, "user": readmodel.Users,
}

// Each attribute of the API is one of the record.
func TestExpressionHasTheAttributesOfTheAPI(t *testing.T) {
	if len(tables) != len(ruledef.Resources) {
		t.Fatalf("%d tables, %d resources", len(tables), len(ruledef.Resources))
	}
	for resource, table := range tables {
		for _, a := range table.Attributes {
			if a.IsNested() && a.Name != "items" || a.OnRequest || a.Name == "update_on" {
				continue
			}
			e, err := compile(t, resource, "has(after."+a.Name+") || true", "no")
			if err != nil {
				t.Errorf("%s.%s: %v", resource, a.Name, err)
				continue
			}
			if j := e.Judge(context.Background(), rule.Input{After: emptyStates[resource]}); !j.Passes {
				t.Errorf("%s.%s: %+v", resource, a.Name, j)
			}
		}
	}
}
