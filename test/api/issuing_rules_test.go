package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/doctest"
)

// creditLimit is a rule of docs/rules.md that asks for the sum of a client's unpaid invoices only if the invoice is one of them.
var creditLimit = fields{
	"name": "credit-limit", "resource": "invoice", "on": []string{"create", "update"},
	"variables":  []fields{{"name": "unpaid", "expression": "facts.unpaid_invoices(after.client_id).sum + after.pay_price"}},
	"expression": "after.status_id != 1 || variables.unpaid <= 15000000",
}

// knownNumbers asks for a number always, and lengthOfNotice never asks.
var (
	knownNumbers = fields{
		"name": "known-numbers", "resource": "invoice", "on": []string{"create", "update"},
		"expression": `!facts.number_taken(after.performer_id, after.date.getFullYear(), "2024-0005") || facts.performer(after.performer_id).name != ""`,
	}
	lengthOfNotice = fields{
		"name": "length-of-notice", "resource": "invoice", "on": []string{"create", "update"}, "expression": "size(after.notice) < 1000",
	}
)

// documented returns the typed rules that the pages show, and checks that the rules in Go are among them.
func documented(t *testing.T) (rules []fields) {
	t.Helper()
	var names, compiled []string
	for _, page := range []string{"rules.md", "recipes.md", "extending.md"} {
		for _, b := range doctest.Blocks(t, filepath.Join("..", "..", "docs", page)) {
			for _, found := range typedExample.FindAllStringSubmatch(b.Script, -1) {
				var r fields
				if err := json.Unmarshal([]byte(found[1]), &r); err != nil {
					t.Fatalf("%s: %v", b.Name(), err)
				}
				if r["name"] != nil && !strings.Contains(b.Output, `"field":"expression"`) { // a whole rule that can be saved
					rules, names = append(rules, r), append(names, r["name"].(string))
				}
			}
			for _, found := range compiledExample.FindAllStringSubmatch(b.Script, -1) {
				compiled = append(compiled, found[1])
			}
		}
	}
	if len(rules) < 7 || len(compiled) < 3 {
		t.Fatalf("the pages have only the rules %q, and %q in Go", names, compiled)
	}
	for _, name := range compiled {
		if !slices.Contains(names, name) {
			t.Errorf("the pages have the rule %s in Go only", name)
		}
	}
	return rules
}

var (
	typedExample    = regexp.MustCompile(`'(\{[^']*"expression"[^']*\})'`)
	compiledExample = regexp.MustCompile(`Name\(\) string \{ return "([^"]+)" \}`)
)

// issuerUnderRules is an issuer with enforced rules.
func issuerUnderRules(t *testing.T, rules ...fields) *service {
	t.Helper()
	s := issuer(t)
	for _, r := range rules {
		s.as("admin").post("/rest/rule", fieldsWith(fields{"message": "must be so"}, fieldsWith(maps.Clone(r), fields{"mode": "enforce"}))).wants(200)
	}
	return s
}

// deadlocks returns the number of deadlocks so far. It ends all sessions, which report theirs at the end.
func (s *service) deadlocks() (n int) {
	s.t.Helper()
	conn, err := s.pool.Acquire(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Release()
	for _, sql := range []string{
		`
with others as materialized (
    select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
)
select count(pg_terminate_backend(pid, 10000)) from others`,
		"select deadlocks from pg_stat_database where datname = current_database()",
	} {
		if err := conn.QueryRow(s.t.Context(), sql).Scan(&n); err != nil {
			s.t.Fatal(err)
		}
	}
	return n
}

// contract 12.162, 16.52
func TestIssuingLocksWhatItAltersBeforeTheSeries(t *testing.T) {
	t.Parallel()
	s := issuerUnderRules(t, creditLimit)
	first, paid, unpaid := s.drafted(nil), s.drafted(fields{"paid": true}), s.drafted(nil)
	credited := s.drafted(fields{"paid": true})
	issue := func(username, path string) func() *reply {
		return func() *reply { return s.as(username).post(path, fields{}) }
	}
	for _, path := range []string{first + "/issue?as=none", credited + "/issue?as=none", first + "/credit?as=none"} {
		issue("manager", path)().wants(200)
	}
	// The first one does not ask, and waits for the series before the second one, which does.
	for _, paths := range [][]string{
		{paid + "/issue?as=none", unpaid + "/issue?as=none"},
		{credited + "/credit?as=none", unpaid + "/credit?as=none"},
	} {
		for _, r := range s.race("select from series for no key update", issue("manager", paths[0]), issue("other", paths[1])) {
			r.wants(200)
		}
	}
	if n := s.deadlocks(); n != 0 {
		t.Errorf("PostgreSQL has ended %d deadlocks", n)
	}
}

// contract 12.162, 16.52
func TestIssuingAndCreditingUnderRulesDoesNotDeadlock(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string][]fields{
		"asks always": {knownNumbers}, "asks sometimes": {creditLimit}, "never asks": {lengthOfNotice},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := issuerUnderRules(t, rules...)
			var drafts []string
			for i := range 12 {
				drafts = append(drafts, s.drafted(fields{"paid": i%2 == 0}))
			}
			var writers errgroup.Group
			for i, draft := range drafts {
				writers.Go(func() error {
					writer := s.as([]string{"admin", "manager", "other"}[i%3]) // of one caller, few writes run at once
					for _, path := range []string{draft + "/issue?as=none", draft + "/credit?as=none"} {
						if r := writer.post(path, fields{}); r.status != http.StatusOK {
							return fmt.Errorf("%s: %d: %s", path, r.status, r.body)
						}
					}
					return nil
				})
			}
			if err := writers.Wait(); err != nil {
				t.Error(err)
			}
			if n := s.deadlocks(); n != 0 {
				t.Errorf("PostgreSQL has ended %d deadlocks", n)
			}
		})
	}
}

// contract 12.162
func TestWritingUnderTheRulesOfThePagesDoesNotDeadlock(t *testing.T) {
	t.Parallel()
	s := issuerUnderRules(t, documented(t)...)
	s.as("manager").patch("/rest/invoice/1", fields{"paid": true}).wants(200) // an old one
	inGo := s.again(t, func(c *bootstrap.Config) { c.Rules = append(c.Rules, rule.Invoices.Rules(asksMuch{})) })
	const writers = 12
	for i := range writers {
		s.addUser(fmt.Sprint("writer", i), "Wri", "Ter", user.Manager) // of one caller, few writes run at once
	}
	var all errgroup.Group
	for i := range writers {
		writer := []*service{s, inGo}[i%2].as(fmt.Sprint("writer", i))
		all.Go(func() error { return writer.workUnderRules(i) })
	}
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
	if n := s.deadlocks(); n != 0 {
		t.Errorf("PostgreSQL has ended %d deadlocks", n)
	}
}

// workUnderRules is what a user does with an invoice and its deal: each step waits for those of others.
func (c *caller) workUnderRules(i int) error {
	var invoice, deal string
	today := time.Now().UTC().Format(time.DateOnly)
	for range 2 {
		for _, step := range []func() *reply{
			func() *reply {
				r := c.patiently(http.MethodPost, "/rest/deal", fields{"name": fmt.Sprintf("Deal of writer %d", i), "client_id": 1})
				deal = text(r.record()["id"])
				return r
			},
			func() *reply {
				r := c.patiently(http.MethodPost, "/rest/invoice", bill(fields{
					"number": nil, "date": today, "deal_id": deal, "paid": i%3 == 0, "items": []fields{goods("Catalogue", 3, "19.99")},
				}))
				invoice = "/rest/invoice/" + text(r.record()["id"])
				return r
			},
			func() *reply { return c.patiently(http.MethodPost, invoice+"/issue?as=none", fields{}) },
			func() *reply { return c.patiently(http.MethodPatch, invoice, fields{"paid": i%2 == 0}) },
			func() *reply {
				return c.patiently(http.MethodPatch, "/rest/deal/"+deal, fields{"name": "A deal with an invoice"})
			},
			func() *reply {
				return c.patiently(http.MethodPost, "/rest/contact", fields{"client_id": 1, "name": "Ann", "phone": "1"})
			},
			func() *reply { return c.patiently(http.MethodPost, invoice+"/credit?as=none", fields{}) },
		} {
			if r := step(); r.status != http.StatusOK {
				return fmt.Errorf("%s: %d: %s", r.what, r.status, r.body)
			}
		}
	}
	return nil
}

// patiently repeats what is answered with a 503: on a slow machine, a lock takes too long.
func (c *caller) patiently(method, path string, body any) *reply {
	for try := 0; ; try++ {
		if r := c.send(method, path, body); r.status != http.StatusServiceUnavailable || try == 5 {
			return r
		}
	}
}

// asksMuch is a rule in Go that asks for numbers and records.
type asksMuch struct{}

func (asksMuch) Name() string { return "asks-much" }

func (asksMuch) Check(ctx context.Context, c rule.Change[invoice.State]) error {
	if c.After == nil {
		return nil
	}
	_, unpaid := c.Facts.UnpaidInvoices(ctx, c.After.ClientID)
	_, issuer := c.Facts.Performer(ctx, c.After.PerformerID)
	_, taken := c.Facts.NumberTaken(ctx, c.After.PerformerID, c.After.Date.Year(), c.After.Number)
	return errors.Join(unpaid, issuer, taken)
}
