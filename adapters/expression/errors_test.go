package expression_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/ruledef"
)

const names = "; the variables are before, after, actor, now, operation, facts and variables"

// contract 12.5
func TestCompileSaysWhereAndWhatIsExpected(t *testing.T) {
	for text, want := range map[string]string{
		// syntax
		"":                             `line 1, column 1: unexpected end of the expression; expected a value or an operator`,
		`after.total_count >`:          `line 1, column 20: unexpected end of the expression; expected a value or an operator`,
		"true &&\n after.paid after":   `line 2, column 13: unexpected 'after'; expected an operator or the end of the expression`,
		`after.number = "7"`:           `line 1, column 14: unexpected '= '; expected a value or an operator, such as == to compare`,
		"true && @":                    `line 1, column 9: unexpected '@'; expected a value or an operator`,
		strings.Repeat("(", 200) + "1": `line 1, column 1: it is nested too deeply; expected at most 100 levels, or as many terms in a row`,
		// names
		`invoice.paid`:                        `line 1, column 1: there is no variable or function invoice` + names,
		`random() > 1`:                        `line 1, column 7: there is no variable or function random` + names,
		`before.price == after.total_coun`:    `line 1, column 7: there is no attribute price; expected one of id, user_id, number, date, due_date, discount_percent_early, discount_until, performer_id, client_id, deal_id, type_id, status_id, paid, closed, notice, discount_percent, adjustments, currency, exchange_rate, total_count, total_price, vat_price, pay_price, paid_price, waived_price, due_price, created_on, paid_on, issued_on, credits, updated_on, items, terms, ref`,
		`actor.name == ""`:                    `line 1, column 6: there is no attribute name; expected one of id, role`,
		`after.adjustments.all(a, a.sum > 0)`: `line 1, column 27: there is no attribute sum; expected one of reason, percent, amount, vat_category, vat_percent`,
		`after.items.all(i, i.sum > 0)`:       `line 1, column 21: there is no attribute sum; expected one of id, name, units, description, item_number, buyer_item_number, gtin, note, period_from, period_to, count, price, base_count, discount_percent, adjustments, vat_category, vat_percent, total_price`,
		`facts.invoices(1) > 0`:               `line 1, column 15: there is no function facts.invoices; expected one of client, client_contacts, client_deals, deal, deal_contacts, deal_documents, deal_invoices, number_taken, performer, status, statuses, unpaid_invoices, user, user_deals`,
		`facts.status(1).title == ""`:         `line 1, column 16: there is no attribute title; expected one of id, name, default, color`,
		`facts.client_contacts(1).filter(c, c.name != "").all(c, c.mail == "")`: `line 1, column 58: there is no attribute mail; expected one of id, name, phone, mobile, email, rank, client_id, deal_id, ref`,
		`facts.unpaid_invoices(1).n > 0`:                                        `line 1, column 25: there is no attribute n; expected one of count, sum, oldest`,
		`facts.deal_invoices(1).total() > 0`:                                    `line 1, column 29: deal invoices have no function total; expected one of the attributes not_paid, paid, closed, cancelled, issued`,
		`facts.deal_invoices(1).paid() > 0`:                                     `line 1, column 28: paid is an attribute, and no function: write it without ()`,
		`after.paid()`:                                                          `line 1, column 11: paid is an attribute, and no function: write it without ()`,
		`facts.client_contacts(1).total() > 0`:                                  `line 1, column 31: total cannot be applied to list(contact record).(); expected numbers by status.() or numbers by status.(list(int))`,
		// types
		`after.total_count`:                        `line 1, column 6: it must yield bool, but it yields int`,
		`after.paid && after.number`:               `line 1, column 20: expected bool, but found string`,
		`now.getHours("UTC") == 9`:                 `line 1, column 13: getHours cannot be applied to timestamp.(string); expected duration.() or timestamp.()`,
		`after.date > 5`:                           `line 1, column 12: > cannot be applied to (timestamp, int); expected (timestamp, timestamp)`,
		`facts.unpaid_invoices("Lund").count > 1`:  `line 1, column 22: unpaid_invoices cannot be applied to facts.(string); expected facts.(int)`,
		`after.client_id == "x"`:                   `line 1, column 17: int and string cannot be compared`,
		`after.notice == null`:                     `line 1, column 14: string and null cannot be compared: a text that is missing is ""`,
		`after.total_price == null`:                `line 1, column 19: decimal and null cannot be compared`,
		`before == after`:                          `line 1, column 8: invoice record and invoice record cannot be compared: compare their attributes`,
		`before in [after]`:                        `line 1, column 8: invoice record cannot be looked for in a list`,
		`[1, "a"].size() == 2`:                     `line 1, column 5: expected int, but found string`,
		`[[1]].size() == 1`:                        `line 1, column 1: list elements must have one type, and must not be lists`,
		`[1] + [2] == [1, 2]`:                      `line 1, column 5: lists cannot be added`,
		`{"a": 1}.size() == 1`:                     `line 1, column 1: maps cannot be made`,
		`invoice{} == null`:                        `line 1, column 8: there is no variable or function invoice` + names,
		`actor{} == null`:                          `line 1, column 6: records cannot be made`,
		`dyn(1) == 1`:                              `line 1, column 4: there is no variable or function dyn` + names,
		`after.items.all(i, i) || after.items.foo`: `line 1, column 20: expected bool, but found invoice item`,
		// amounts are never floats
		`after.total_price > 10.5`:                 `line 1, column 19: > cannot be applied to (decimal, double): write a number with a fraction as decimal("0.5")`,
		`after.total_price == 10.5`:                `line 1, column 19: decimal and double cannot be compared: write a number with a fraction as decimal("0.5")`,
		`after.total_price * 0.1 > 1`:              `line 1, column 19: * cannot be applied to (decimal, double): write a number with a fraction as decimal("0.5")`,
		`decimal(0.1) > 0`:                         `line 1, column 8: decimal cannot be applied to (double); expected (string) or (int)`,
		`after.total_price / 2 > 0`:                `line 1, column 19: / cannot be applied to (decimal, int); expected (double, double) or (int, int) or (uint, uint)`,
		`double(after.total_price) > 0.1`:          `line 1, column 7: double cannot be applied to (decimal); expected (double) or (int) or (string) or (uint)`,
		`(after.paid ? after.total_price : 0) > 1`: `line 1, column 13: ?: cannot be applied to (bool, decimal, int); expected (bool, A, A)`,
		`after.items["x"] == null`:                 `line 1, column 12: [] cannot be applied to (list(invoice item), string); expected (list(A), int) or (map(A, B), A)`,
		`after.total_price in [1, 2]`:              `line 1, column 19: in cannot be applied to (decimal, list(int)); expected (A, list(A)) or (A, map(A, B))`,
		// values in texts
		`decimal("1,5") > 1`:                   `line 1, column 9: decimal("1,5"): must be a decimal number`,
		`date("2026-02-30") < now`:             `line 1, column 6: date("2026-02-30"): must be a date: YYYY-MM-DD, YYYY-MM-DD hh:mm:ss or RFC 3339`,
		`timestamp("today") < now`:             `line 1, column 11: timestamp("today"): must be RFC 3339, such as "2026-01-31T12:00:00+01:00"`,
		`duration("60d") < duration("1h")`:     `line 1, column 10: duration("60d"): must be a number of hours, minutes or seconds, such as "36h" or "1h30m"`,
		`after.number.matches("(")`:            "line 1, column 22: error parsing regexp: missing closing ): `(`",
		`after.number.matches(after.notice)`:   `line 1, column 27: a regular expression must be a text in quotes`,
		`after.number.matches("(a{100}){10}")`: `line 1, column 22: the regular expression is too complex: it repeats too much`,
	} {
		if diff := cmp.Diff([]fault.Field{{Name: "expression", Message: want}}, fieldsOf(t, text, "no"), firstLine); diff != "" {
			t.Errorf("%s: -want +got\n%s", text, diff)
		}
	}
}

// firstLine compares the first lines of messages.
var firstLine = cmp.Transformer("firstLine", func(f fault.Field) string {
	line, _, _ := strings.Cut(f.Message, "\n")
	return f.Name + " " + line
})

func fieldsOf(t *testing.T, text, message string) []fault.Field {
	t.Helper()
	_, err := compile(t, "invoice", text, message)
	f := fault.As(err)
	if f == nil || f.Kind != fault.Invalid {
		t.Errorf("%s: %v", text, err)
		return nil
	}
	return f.Fields
}

func TestCompileListsSeveralErrors(t *testing.T) {
	got := fieldsOf(t, `a == 1 && b == 2 &&`+"\n"+`c == 3 && d && e && f && g`, "= after.number +\n  after.total_count")
	want := []fault.Field{
		{Name: "expression", Message: "line 1, column 1: there is no variable or function a" + names + "\n" +
			"line 1, column 11: there is no variable or function b" + names + "\n" +
			"line 2, column 1: there is no variable or function c" + names + "\n" +
			"line 2, column 11: there is no variable or function d" + names + "\n" +
			"line 2, column 16: there is no variable or function e" + names},
		{Name: "message", Message: `line 1, column 16: + cannot be applied to (string, int); expected (string, string)`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCompileRefusesAnUnknownResource(t *testing.T) {
	for _, c := range []struct {
		text, message string
		want          []string
	}{
		{"true", "no", []string{"resource"}},
		{"after.anything > 1", "= after.anything", []string{"resource"}}, // attributes are those of a resource
		{"1 +", "= after.", []string{"resource", "expression", "message"}},
	} {
		var got []string
		_, err := compile(t, "invoices", c.text, c.message)
		if f := fault.As(err); f != nil {
			for _, field := range f.Fields {
				got = append(got, field.Name)
			}
		}
		if !cmp.Equal(got, c.want) {
			t.Errorf("%s: the wrong fields are %v, want %v: %v", c.text, got, c.want, err)
		}
	}
}

func TestCompileTakesLongExpressions(t *testing.T) {
	long := strings.Repeat("after.total_count > 10000 || ", ruledef.MaxExpression/29-1) + "true"
	if _, err := compile(t, "invoice", long, "no"); err != nil {
		t.Errorf("%d characters: %v", len(long), err)
	}
	fields := fieldsOf(t, strings.Repeat("[1].exists(x, true) && ", 51)+"true", "no")
	if want := "line 1, column 1: 51 macros, such as exists and map; expected at most 50"; fields[0].Message != want {
		t.Errorf("got %s, want %s", fields[0].Message, want)
	}
}

// contract 12.113
func TestCompileRefusesWhatCannotOccur(t *testing.T) {
	const role = `; expected admin, manager, viewer, or "" at the command line`
	create, update, remove := ruledef.Of(ruledef.Create), ruledef.Of(ruledef.Update), ruledef.Of(ruledef.Delete)
	for _, c := range []struct {
		on         ruledef.Operations
		expression string
		want       string // empty: it compiles
	}{
		{create, `before.number != after.number`, "line 1, column 7: before is always null in a rule for create only; read after"},
		{remove, `after.number != ""`, "line 1, column 6: after is always null in a rule for delete only; read before"},
		{create, `before == null || before.number == after.number`, ""},
		{create, `has(before.number) || after.paid`, ""},
		{remove, `null != after ? after.paid : before.paid`, ""},
		{create | update, `before.number != after.number`, ""},
		{update, `before.number != after.number`, ""},
		{update, `after.paid_on > now`, `line 1, column 6: after.paid_on may be null, for which the rule fails: compare it with null first, such as after.paid_on != null && …`},
		{update, `after.paid && now - after.paid_on < duration("1h")`, `line 1, column 26: after.paid_on may be null, for which the rule fails: compare it with null first, such as after.paid_on != null && …`},
		{update, `before.issued_on == null || after.issued_on.getFullYear() == 2026`, `line 1, column 34: after.issued_on may be null, for which the rule fails: compare it with null first, such as after.issued_on != null && …`},
		{update, `after.paid_on == null || after.paid_on > now`, ""},
		{update, `has(after.paid_on) && after.paid_on > now`, ""},
		{update, `after.deal_id in [1, 2] || facts.deal(after.deal_id).id == after.credits`, ""},
		{update, `operation == "insert"`, `line 1, column 14: operation is never "insert"; expected create, update, delete`},
		{update, `"insert" != operation`, `line 1, column 1: operation is never "insert"; expected create, update, delete`},
		{update, `operation in ["create", "insert"]`, `line 1, column 25: operation is never "insert"; expected create, update, delete`},
		{update, `operation == "delete" || operation in ["create"]`, ""},
		{update, `actor.role == "boss"`, `line 1, column 15: actor.role is never "boss"` + role},
		{update, `!(actor.role in ["", "admin", "boss"])`, `line 1, column 31: actor.role is never "boss"` + role},
		{update, `actor.role == "admin" || actor.role != "" || facts.user(4).role == "viewer" || after.number == "boss"`, ""},
	} {
		_, err := compiler.Compile(ruledef.State{Name: "limit", Resource: "invoice", On: c.on, Expression: c.expression, Message: "no"})
		var got string
		if f := fault.As(err); f != nil {
			got = f.Fields[0].Message
		}
		if got != c.want {
			t.Errorf("%v, %s: got %q, want %q", c.on.Names(), c.expression, got, c.want)
		}
	}
}

// contract 12.113
func TestCompileRefusesAnUnknownField(t *testing.T) {
	for field, want := range map[string]string{"": "", "color": "", "colour": "is not an attribute of the resource; expected one of id, name, default, color"} {
		_, err := compiler.Compile(ruledef.State{Name: "limit", Resource: "status", Expression: "true", Message: "no", Field: field})
		var got string
		if f := fault.As(err); f != nil && f.Fields[0].Name == "field" {
			got = f.Fields[0].Message
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", field, got, want)
		}
	}
}
