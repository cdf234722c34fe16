package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"golang.org/x/sync/errgroup"
)

// enforced are rules of docs/rules.md, and one that asks for the facts that all writes of invoices alter. Of the rules on invoices,
// credit-limit asks sometimes, known-numbers always, and the others for other things than they alter, or never.
var enforced = []fields{
	{
		"name": "late-payers", "resource": "deal", "on": []string{"create"},
		"expression": `facts.unpaid_invoices(after.client_id).count == 0 || now - facts.unpaid_invoices(after.client_id).oldest <= duration("1000000h")`,
	},
	{
		"name": "large-invoices-by-mail", "resource": "invoice", "on": []string{"create", "update"},
		"expression": `after.pay_price <= 50 || facts.client(after.client_id).name != ""`,
	},
	{
		"name": "won-stays", "resource": "deal", "on": []string{"update"},
		"expression": `facts.status(before.status_id).name != "Won" || after.status_id == before.status_id`,
	},
	{
		"name": "credit-limit", "resource": "invoice", "on": []string{"create", "update"},
		"variables":  []fields{{"name": "unpaid", "expression": "facts.unpaid_invoices(after.client_id).sum + after.pay_price"}},
		"expression": "after.status_id != 1 || variables.unpaid <= 15000000",
	},
	{
		"name": "known-numbers", "resource": "invoice", "on": []string{"create", "update"},
		"expression": `!facts.number_taken(after.performer_id, after.date.getFullYear(), "2024-0005") || facts.performer(after.performer_id).name != ""`,
	},
	{
		"name": "length", "resource": "invoice", "on": []string{"create", "update"},
		"expression": "size(after.notice) < 1000",
	},
}

// issuerUnderRules is an issuer with enforced rules.
func issuerUnderRules(t *testing.T, rules []fields) *service {
	t.Helper()
	s := issuer(t)
	for _, r := range rules {
		s.as("admin").post("/rest/rule", fieldsWith(r, fields{"mode": "enforce", "message": "must be so"})).wants(200)
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
func TestIssuingAndCreditingUnderRulesDoesNotDeadlock(t *testing.T) {
	t.Parallel()
	sets := map[string][]fields{"all": enforced}
	for _, r := range enforced {
		sets[r["name"].(string)] = []fields{r}
	}
	for name, rules := range sets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := issuerUnderRules(t, rules)
			var drafts []string
			for i := range 12 {
				drafts = append(drafts, s.drafted(fields{"paid": i%2 == 0}))
			}
			var writers errgroup.Group
			for _, draft := range drafts {
				writers.Go(func() error {
					manager := s.as("manager")
					for _, path := range []string{draft + "/issue?as=none", draft + "/credit?as=none"} {
						if r := manager.post(path, fields{}); r.status != http.StatusOK {
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
