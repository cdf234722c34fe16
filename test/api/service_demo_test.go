package api_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/cmd/demo"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/fault"
)

// loadDemo runs the demo and returns the token that it prints.
func (s *service) loadDemo() (token string) { return tokenOf(s.runDemo()) }

func tokenOf(printed string) string {
	return regexp.MustCompile(`(?m)^  export TOKEN=(kt_\S+)$`).FindStringSubmatch(printed)[1]
}

func (s *service) runDemo() string {
	s.t.Helper()
	var b strings.Builder
	if err := demo.Run(s.t.Context(), &b, s.commands, s.running.Transaction, s.url); err != nil {
		s.t.Fatal(err)
	}
	return b.String()
}

// contract 1.44, 5.10
func TestDemoSecondRunLoadsNothingAndKeepsTokens(t *testing.T) {
	t.Parallel()
	clock := &settableClock{at: time.Now()}
	s := start(t, func(c *bootstrap.Config) { c.Clock = clock })
	first := s.runDemo()
	s.tokens["first"] = tokenOf(first)
	lists := []string{
		"/rest/user", "/rest/status", "/rest/deal-type", "/rest/invoice-type", "/rest/performer", "/rest/client?per_page=500",
		"/rest/contact?client_id=1", "/rest/contact?deal_id=15", "/rest/deal?per_page=500", "/rest/offer", "/rest/contract", "/rest/invoice?per_page=500", "/rest/invoice-items?per_page=500",
	}
	loaded := map[string]string{}
	for _, list := range lists {
		if loaded[list] = s.as("first").get(list).wants(200).body; len(s.as("first").get(list).items()) == 0 {
			t.Errorf("%s is empty", list)
		}
	}
	states := s.as("viewer").get("/rest/invoice?fields=status.id,pay_price&expand=status")
	for _, state := range []string{`"id":1`, `"id":2`, `"id":3`, `"id":4`, `"pay_price":"-`} {
		if !strings.Contains(states.body, state) {
			t.Errorf("no invoice has %s", state)
		}
	}

	second := s.runDemo()
	if !strings.Contains(first, "The demo data is loaded.") || strings.Contains(first, "earlier starts") {
		t.Errorf("the first run prints %s", first)
	}
	if strings.Contains(second, "The demo data is loaded") || !strings.Contains(second, "was loaded before") || !strings.Contains(second, "tokens of earlier starts are kept") {
		t.Errorf("the second run prints %s", second)
	}
	s.tokens["second"] = tokenOf(second)
	again := map[string]string{}
	for _, list := range lists {
		again[list] = s.as("second").get(list).wants(200).body
	}
	if diff := cmp.Diff(loaded, again); diff != "" {
		t.Errorf("the second demo has changed something (-first +second)\n%s", diff)
	}
	s.as("first").get("/rest/client").wants(200)
	if n := s.count("tokens", "revoked_at is null and expires_at = created_at + interval '24 hours'"); n != 2 {
		t.Errorf("%d tokens are good for 24 hours, want both", n)
	}
}

// needsPhone refuses contacts without a phone, such as those of the demo.
type needsPhone struct{}

func (needsPhone) Name() string { return "contact-needs-phone" }

func (needsPhone) Check(_ context.Context, c rule.Change[contact.State]) error {
	if c.After != nil && c.After.Phone == "" {
		return fault.ForField(fault.Invalid, "phone", "is needed")
	}
	return nil
}

// contract 1.44
func TestRefusedDemoNamesRuleAndRecordAndLeavesNothing(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the demo data")
	s := start(t, func(c *bootstrap.Config) { c.Rules = append(c.Rules, rule.Contacts.Rules(needsPhone{})) })
	users := s.count("users", "true")
	var b strings.Builder
	err := demo.Run(t.Context(), &b, s.commands, s.running.Transaction, s.url)
	const want = "contact Greta Lund: phone: is needed"
	f := fault.As(err)
	if f == nil || f.Message != want || f.Fields[0].Rule != "contact-needs-phone" || b.Len() > 0 {
		t.Errorf("the error is %v, and %q is printed; want %s", err, &b, want)
	}
	if s.count("users", "true") != users || s.count("statuses", "true")+s.count("clients", "true") > 0 {
		t.Error("a refused demo leaves records")
	}
	s.again(t, func(c *bootstrap.Config) { c.Rules = nil }).loadDemo()
}
