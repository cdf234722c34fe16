package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"golang.org/x/sync/errgroup"
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

// enforced are these rules and the others of docs/rules.md, such that all writes pass.
var enforced = []fields{
	creditLimit, knownNumbers, lengthOfNotice,
	{
		"name": "late-payers", "resource": "deal", "on": []string{"create"},
		"expression": `facts.unpaid_invoices(after.client_id).count == 0 || now - facts.unpaid_invoices(after.client_id).oldest <= duration("1000000h")`,
	},
	{
		"name": "large-invoices-by-mail", "resource": "invoice", "on": []string{"create", "update"},
		"expression": `after.pay_price <= 50 || facts.client(after.client_id).name != ""`,
	},
	{
		"name": "company-phones", "resource": "contact", "on": []string{"create", "update"},
		"expression": `after.client_id == null || facts.client(after.client_id).type != 1 || after.name != ""`,
	},
	{
		"name": "won-stays", "resource": "deal", "on": []string{"update"},
		"expression": `facts.status(before.status_id).name != "Won" || after.status_id == before.status_id`,
	},
}

// issuerUnderRules is an issuer with enforced rules.
func issuerUnderRules(t *testing.T, rules ...fields) *service {
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
		"asks always": {knownNumbers}, "asks sometimes": {creditLimit}, "never asks": {lengthOfNotice}, "all": enforced,
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
