package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Ruled is a creation without typed rules, and under enforced ones.
type Ruled struct {
	Kind          string
	Connections   int
	Without, With Sample
	Rate          float64 // with rules, divided by that without
	P99           float64
}

// ruledKind is the kind of request that is measured under rules.
const ruledKind = "invoice-create"

// plainRules and factRules are the numbers of rules that look at the invoice alone, and of those
// that ask for one fact each.
const plainRules, factRules = 15, 5

// ruleExpressions are true for all invoices of the benchmark. Those of the second list ask for a
// fact.
var ruleExpressions = [2][]string{
	{
		`size(after.number) > 0`,
		`after.total_price >= 0`,
		`after.items.all(i, i.count > 0)`,
		`after.date < now || actor.role != "viewer"`,
		`operation != "create" || after.status_id == 1`,
	},
	{
		`facts.unpaid_invoices(after.client_id).count < 1000000000`,
		`!facts.number_taken(after.performer_id, after.date.getFullYear(), after.number, after.id)`,
		`facts.client_deals(after.client_id).total() < 1000000000`,
		`facts.deal_invoices(after.deal_id).not_paid < 1000000000`,
		`facts.deal_documents(after.deal_id).offers < 1000000000`,
	},
}

// measureRules alternates rounds in which the rules are off with rounds in which they are enforced.
func (b *bench) measureRules(ctx context.Context) error {
	kinds, err := KindsNamed([]string{ruledKind})
	if err != nil {
		return err
	}
	t := b.program()
	c, err := dial(t)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	rules, err := createRules(c)
	if err != nil {
		return err
	}
	defer deleteRules(c, rules)
	b.printRulesHead()
	for _, connections := range b.Connections {
		var samples [2][]Sample
		for n := range b.Rounds + 1 {
			for with, mode := range []string{"off", "enforce"} {
				if err := setMode(c, rules, mode); err != nil {
					return err
				}
				s, err := b.measure(ctx, t, kinds[0], connections, b.Duration)
				if err != nil {
					return err
				}
				if n > 0 { // the first round of each is not counted
					samples[with] = append(samples[with], s)
				}
			}
		}
		r := Ruled{
			Kind: ruledKind, Connections: connections, Without: medians(samples[0]), With: medians(samples[1]),
			Rate: ratio(samples[1], samples[0], Sample.rate), P99: ratio(samples[1], samples[0], func(s Sample) float64 { return s.P99 }),
		}
		b.report.Rules = append(b.report.Rules, r)
		b.printRules(r)
	}
	return nil
}

// createRules creates the rules, which are off, and returns their paths.
func createRules(c *connection) (paths []string, err error) {
	for i := range plainRules + factRules {
		of := ruleExpressions[0]
		if i >= plainRules {
			of = ruleExpressions[1]
		}
		body, err := json.Marshal(map[string]any{
			"name": fmt.Sprintf("bench-%d", i), "resource": "invoice", "on": []string{"create", "update"}, "mode": "off",
			"expression": of[i%len(of)], "message": "is refused by the benchmark",
		})
		if err != nil {
			return nil, err
		}
		var response bytes.Buffer
		if err := c.send(request{method: http.MethodPost, path: "/rest/rule?fields=id", body: string(body)}, &response); err != nil {
			return nil, err
		}
		var created struct{ Response struct{ ID int64 } }
		if err := json.Unmarshal(response.Bytes(), &created); err != nil {
			return nil, err
		}
		paths = append(paths, fmt.Sprintf("/rest/rule/%d", created.Response.ID))
	}
	return paths, nil
}

func setMode(c *connection, rules []string, mode string) error {
	for _, path := range rules {
		if err := c.send(request{method: http.MethodPut, path: path, body: `{"mode":"` + mode + `"}`}, new(bytes.Buffer)); err != nil {
			return err
		}
	}
	return nil
}

// deleteRules leaves the database without the rules. A failure has been reported by what came
// before it.
func deleteRules(c *connection, rules []string) {
	for _, path := range rules {
		_ = c.send(request{method: http.MethodDelete, path: path}, new(bytes.Buffer))
	}
}

func (b *bench) printRulesHead() {
	b.printf("\n%s without rules (left) and under %d enforced typed rules (right), of which %d ask for a fact, medians of %d rounds\n"+
		"of %s in turn. Last columns: rate and p99 with rules, divided by those without.\n", ruledKind, plainRules+factRules, factRules, b.Rounds, b.Duration)
}

func (b *bench) printRules(r Ruled) {
	b.printf("%-22s %4d%s%s | %5.2f %5.2f\n", r.Kind, r.Connections, columns(r.Without), columns(r.With), r.Rate, r.P99)
}
