package expression_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
	"github.com/kontor-crm/kontor/ports/repository"
)

// list are variables, each written as name = expression.
func list(definitions ...string) (variables []ruledef.Variable) {
	for _, d := range definitions {
		name, text, _ := strings.Cut(d, " = ")
		variables = append(variables, ruledef.Variable{Name: name, Expression: text})
	}
	return variables
}

func compileWith(on ruledef.Operations, variables []ruledef.Variable, text, message string) (rule.Expression, error) {
	return compiler.Compile(ruledef.State{Name: "limit", Resource: "invoice", On: on, Variables: variables, Expression: text, Message: message})
}

func judgeWith(t *testing.T, in rule.Input, variables []ruledef.Variable, text, message string) rule.Judgement {
	t.Helper()
	e, err := compileWith(0, variables, text, message)
	if err != nil {
		t.Fatalf("%v, %s: %v", variables, text, err)
	}
	return e.Judge(context.Background(), in)
}

// contract 12.118
func TestVariablesHaveTheTypesOfTheirExpressions(t *testing.T) {
	variables := list("total = after.items.map(i, i.total_price).sum()", "half = variables.total * decimal(\"0.5\")",
		"names = after.items.map(i, i.name)", "client = facts.client(after.client_id)", "id = after.deal_id", "paid = after.paid",
		"deals = facts.client_deals(after.client_id)", "line = after.items[0]", "at = after.paid_on", "nothing = before.paid_on", "who = actor")
	for _, text := range []string{
		`variables.total == after.total_price && variables.half < variables.total && variables.total > 90`,
		`variables.names == ["Door", "Discount"] && variables.names.size() == 2 && "Door" in variables.names`,
		`variables.client.name == facts.client(31).name && variables.client != null && variables.client.email != "nobody"`,
		`variables.id == 58 && facts.deal_documents(variables.id).offers == 2`,
		`variables.paid && !(!variables.paid)`, `variables.deals[5] == 2 && variables.deals.total() == 6`,
		`variables.line.price > 100`, `variables.at == now && variables.at.getFullYear() == 2026`, `variables.nothing == null`,
		`variables.who.role == "manager"`, `after.items.all(i, i.total_price <= variables.total + 10)`,
	} {
		if j := judgeWith(t, sample(), variables, text, "no"); !j.Passes || j.Err != nil {
			t.Errorf("%s: %+v", text, j)
		}
	}
	if j := judgeWith(t, sample(), variables, "false", `="of " + string(variables.total)`); j.Message != "of 90.01" {
		t.Errorf("the message is %+v", j)
	}
}

// contract 12.118
func TestVariableIsEvaluatedWhenItIsNeededAndOnce(t *testing.T) {
	wrong := list("never = 1 / 0 == 0", "later = variables.never")
	if j := judgeWith(t, sample(), wrong, "true || variables.later", "no"); !j.Passes {
		t.Errorf("a variable that is not needed is evaluated: %+v", j)
	}
	j := judgeWith(t, sample(), wrong, "variables.later", "no")
	if j.Err == nil || j.Err.Error() != "variables.later: variables.never: division by zero" {
		t.Errorf("the error is %v", j.Err)
	}
	const digits = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
	const long = digits + ".all(x, " + digits + ".all(y, " + digits + ".all(z, x * y * z >= 0)))"
	read := func(value string) string { return digits + ".all(a, " + digits + ".all(b, " + value + "))" }
	if j := judgeWith(t, sample(), list("long = "+long), read("variables.long"), "no"); !j.Passes {
		t.Errorf("a variable that is read 100 times is evaluated 100 times: %+v", j)
	}
	if j := judgeWith(t, sample(), nil, read(long), "no"); j.Err == nil {
		t.Error("the expression of the variable is too cheap for this test")
	}
}

// contract 12.118
func TestFactsOfVariablesAreAskedWithThoseOfTheExpression(t *testing.T) {
	variables := list("unpaid = facts.unpaid_invoices(after.client_id)", "unused = facts.deal_contacts(after.deal_id)")
	e, err := compileWith(0, variables, `facts.client_deals(after.client_id)[1] > 100 || variables.unpaid.count > 100`, `=string(variables.unpaid.count)`)
	if err != nil {
		t.Fatal(err)
	}
	want := repository.FactsOf(repository.UnpaidInvoicesOfClient, repository.ContactsOfDeal, repository.DealsOfClient)
	if e.Facts() != want {
		t.Errorf("it needs the facts %b, want %b", e.Facts(), want)
	}
	in := sample()
	in.Fact = nil
	if diff := cmp.Diff([]repository.Question{deals, unpaid}, e.Judge(context.Background(), in).Missing); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	in.Fact = known
	if j := e.Judge(context.Background(), in); j.Message != "3" {
		t.Errorf("with the facts: %+v", j)
	}
}

// contract 12.5, 12.113, 12.118
func TestCompileSaysWhichVariableIsWrong(t *testing.T) {
	create := ruledef.Of(ruledef.Create)
	for _, c := range []struct {
		variables  []ruledef.Variable
		expression string
		field      string
		want       string
	}{
		{list("a = 1 +"), "true", "variables[0].expression", "line 1, column 4: unexpected end of the expression; expected a value or an operator"},
		{list("a = 1", "b = after.nam"), "true", "variables[1].expression", "line 1, column 6: there is no attribute nam; expected one of id, "},
		{list("a = variables.b", "b = 1"), "true", "variables[0].expression", "line 1, column 10: variables.b is not defined here: a variable can use those before it in the list"},
		{list("a = 1", "b = variables.b + 1"), "true", "variables[1].expression", "line 1, column 10: variables.b is not defined here: a variable can use those before it in the list"},
		{list("a = variables.c"), "true", "variables[0].expression", "line 1, column 10: there is no attribute c"},
		{list("a = 1", "b = 2"), "variables.c == 1", "expression", "line 1, column 10: there is no attribute c; expected one of a, b"},
		{list("a = facts.client(1)"), `variables.a.mail == ""`, "expression", "line 1, column 12: there is no attribute mail; expected one of id, "},
		{list("a = 1"), `variables.a == "x"`, "expression", "line 1, column 13: int and string cannot be compared"},
		{list("a = 1"), `has(variables.a)`, "expression", "line 1, column 4: has cannot be applied to variables: compare them with null"},
		{list("a = []"), "true", "variables[0].expression", "line 1, column 1: it must have one type, but it yields list(dyn)"},
		{list("a = [1]"), "[variables.a].size() == 1", "expression", "line 1, column 1: list elements must have one type, and must not be lists"},
		{nil, "variables.a == 1", "expression", "line 1, column 1: there is no variable or function variables" + names},
		{list("a = before.number"), "variables.a != after.number", "variables[0].expression", "line 1, column 7: before is always null in a rule for create only; read after"},
		{list(`a = actor.role == "boss"`), "variables.a", "variables[0].expression", `line 1, column 15: actor.role is never "boss"`},
		{list(`a = operation == "insert"`), "variables.a", "variables[0].expression", `line 1, column 14: operation is never "insert"`},
		{list("a = " + strings.Repeat("(", 200) + "1"), "true", "variables[0].expression", "line 1, column 1: it is nested too deeply"},
	} {
		_, err := compileWith(create, c.variables, c.expression, "no")
		f := fault.As(err)
		if f == nil || len(f.Fields) != 1 || f.Fields[0].Name != c.field || !strings.HasPrefix(f.Fields[0].Message, c.want) {
			t.Errorf("%v, %s: %+v, want %s of %s", c.variables, c.expression, f, c.want, c.field)
		}
	}
	if _, err := compileWith(create, list("a = before.number"), "before == null || variables.a != after.number", "no"); err != nil {
		t.Errorf("a comparison with null in the expression is not enough: %v", err)
	}
	_, err := compiler.Compile(ruledef.State{Resource: "invoices", Variables: list("a = 1 +"), Expression: "variables.a > 0", Message: "no"})
	if f := fault.As(err); f == nil || len(f.Fields) != 2 || f.Fields[1].Name != "variables[0].expression" {
		t.Errorf("of an unknown resource: %v", err)
	}
}

// A judgement is bounded as a whole, not each variable.
//
// contract 12.118
func TestVariablesAreBoundedTogether(t *testing.T) {
	most := func(text string) (variables []ruledef.Variable) {
		for i := range ruledef.MaxVariables {
			variables = append(variables, ruledef.Variable{Name: fmt.Sprint("v", i), Expression: strings.ReplaceAll(text, "PREVIOUS", fmt.Sprint("v", i-1))})
		}
		return variables
	}
	loop := `after.items.map(i, i.name.lower().size()).sum()`
	double := most(`variables.PREVIOUS + variables.PREVIOUS`)
	double[0].Expression = "after.notice"
	chained := most(loop + ` + variables.PREVIOUS`)
	chained[0].Expression = loop
	bomb := `after.items.all(a, after.items.all(b, after.items.all(c, a.name == b.name)))`
	last := fmt.Sprint("variables.v", ruledef.MaxVariables-1)
	for name, c := range map[string]struct {
		variables  []ruledef.Variable
		expression string
	}{
		"a bomb in a variable":      {list("v = " + bomb), "variables.v"},
		"bombs beside one another":  {most(bomb), "after.items.all(i, variables.v0 || variables.v1 || variables.v2 || variables.v3)"},
		"bombs behind an or":        {most(bomb), "variables.v0 || variables.v1 || variables.v2 || true"},
		"a sum of many":             {chained, last + " > 0"},
		"texts that double":         {double, last + `.size() > 0`},
		"a variable and the others": {list("v = "+loop, "w = "+loop+" + 1"), "variables.v + variables.w > 0 && " + bomb},
	} {
		t.Run(name, func(t *testing.T) {
			in := large()
			var j rule.Judgement
			started := time.Now()
			grown := heapGrowth(func() { j = judgeWith(t, in, c.variables, c.expression, "no") })
			if took := time.Since(started); took > 5*time.Second {
				t.Errorf("it takes %v", took)
			}
			if j.Passes || j.Err == nil || !strings.Contains(j.Err.Error(), "cost limit") && !strings.Contains(j.Err.Error(), "takes longer") {
				t.Errorf("got %+v", j)
			}
			if grown > 64<<20 {
				t.Errorf("the heap grows by %d kB", grown>>10)
			}
		})
	}
}
