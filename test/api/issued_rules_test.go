package api_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kontor-crm/kontor/application/rule"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// contract 12.196
func TestRuleCountsTheIssuedInvoicesOfADeal(t *testing.T) {
	t.Parallel()
	s := issuerUnderRules(t, fields{
		"name": "won-has-one", "resource": "deal", "on": []string{"update"}, "field": "status_id",
		"expression": `facts.status(after.status_id).name != "won" || facts.deal_invoices(after.id).issued == 1`,
	})
	manager, draft := s.as("manager"), s.drafted(nil)
	deal := "/rest/deal/" + text(manager.get(draft).record()["deal_id"])
	win := func(status int) {
		t.Helper()
		manager.patch(deal, fields{"status_id": 2}).wants(status)
		if status == http.StatusOK {
			manager.patch(deal, fields{"status_id": 1}).wants(200)
		}
	}
	win(http.StatusUnprocessableEntity) // it is a draft
	manager.post(draft+"/issue?as=none", nil).wants(200)
	win(http.StatusOK)
	part := fields{"items": []fields{{"id": manager.get(draft + "?expand=items").record()["items"].([]any)[0].(map[string]any)["id"], "count": 1}}}
	manager.post(draft+"/credit?as=none", part).wants(200)
	win(http.StatusOK)
	manager.post(draft+"/credit?as=none", nil).wants(200) // of the rest: it is cancelled
	win(http.StatusUnprocessableEntity)
	paid := s.drafted(fields{"deal_id": strings.TrimPrefix(deal, "/rest/deal/"), "paid": true})
	manager.post(paid+"/issue?as=none", nil).wants(200)
	note := manager.post(paid+"/credit?as=none", nil).wants(200).record() // a paid one is not cancelled
	win(http.StatusOK)
	if text(note["status_id"]) == "4" {
		t.Errorf("the credit note is %v", note)
	}
}

// issuedNumbers is a reaction that notes the numbers of invoices that are issued.
type issuedNumbers struct {
	mutex sync.Mutex
	all   []string
}

func (*issuedNumbers) Name() string { return "numbers" }

func (n *issuedNumbers) React(_ context.Context, c rule.Change[invoice.State], _ rule.Actions) error {
	if c.After != nil && !c.After.IssuedOn.IsZero() && (c.Before == nil || c.Before.IssuedOn.IsZero()) {
		n.mutex.Lock()
		defer n.mutex.Unlock()
		n.all = append(n.all, c.After.Number)
	}
	return nil
}

// contract 12.197
func TestRulesAndReactionsSeeTheNumberOfTheDraftThatIsIssued(t *testing.T) {
	t.Parallel()
	t.Run("rules", func(t *testing.T) {
		t.Parallel()
		rulesSeeDrafts(t, issuer(t))
	})
	t.Run("rules and reactions", func(t *testing.T) {
		t.Parallel()
		reaction := &issuedNumbers{}
		drafts := rulesSeeDrafts(t, issuer(t, func(c *bootstrap.Config) { c.Rules = append(c.Rules, rule.Invoices.Reactions(reaction)) }))
		if !slices.Equal(reaction.all, drafts) {
			t.Errorf("the reaction has seen %q, want %q", reaction.all, drafts)
		}
	})
}

// rulesSeeDrafts issues an invoice and a credit note, and compares the numbers that a rule has seen with those of their drafts, which
// it returns.
func rulesSeeDrafts(t *testing.T, s *service) (drafts []string) {
	t.Helper()
	rule := s.as("admin").post("/rest/rule", fields{
		"name": "issues", "resource": "invoice", "on": []string{"create", "update"}, "mode": "shadow",
		"expression": "after.issued_on == null || before != null && before.issued_on != null",
		"message":    `="issues " + after.number`,
	}).wants(200).id()
	manager, draft := s.as("manager"), s.drafted(nil)
	issued := manager.post(draft+"/issue?as=none", nil).wants(200).record()
	note := manager.post(draft+"/credit?as=none", nil).wants(200).record()
	if text(issued["number"]) != "2024-0001" || text(note["number"]) != "C1" {
		t.Errorf("the numbers are %v and %v", issued["number"], note["number"])
	}
	drafts = []string{"draft-" + text(issued["id"]), "draft-" + text(note["id"])}
	seen := manager.get("/rest/rule/" + rule + "/violations?fields=message").wants(200).body
	if want := `[{"message":"issues ` + drafts[1] + `"},{"message":"issues ` + drafts[0] + `"}]`; !strings.Contains(seen, want) {
		t.Errorf("the rule has seen %s, want %s", seen, want)
	}
	return drafts
}

// notices is a reaction that notes in an invoice that it is issued, and pays and closes it.
type notices struct{}

func (notices) Name() string { return "notices" }

func (notices) React(ctx context.Context, c rule.Change[invoice.State], do rule.Actions) error {
	if c.Before == nil || !c.Before.IssuedOn.IsZero() || c.After == nil || c.After.IssuedOn.IsZero() {
		return nil
	}
	return do.UpdateInvoice(ctx, c.After.ID, invoice.Attributes{
		Notice: domain.Some("issued as " + c.After.Number), Paid: domain.Some(true), Closed: domain.Some(true),
	})
}

// contract 12.197
func TestReactionChangesTheInvoiceThatIsIssued(t *testing.T) {
	t.Parallel()
	s := issuer(t, func(c *bootstrap.Config) { c.Rules = append(c.Rules, rule.Invoices.Reactions(notices{})) })
	manager, draft := s.as("manager"), s.drafted(nil)
	issued := fields{"number": "2024-0001", "notice": "issued as draft-2", "paid": true, "closed": true}
	manager.dry().post(draft+"/issue?as=none", nil).wants(200).wantsText(issued)
	manager.get(draft).wantsText(fields{"number": "draft-2", "issued_on": nil, "paid": false, "closed": false})
	manager.post(draft+"/issue?as=none", nil).wants(200).wantsText(issued)
	manager.get(draft).wantsText(issued)
	if d := manager.get(draft + "/document?as=html").wants(200).body; !strings.Contains(d, "2024-0001") || !strings.Contains(d, "issued as draft-2") {
		t.Errorf("the stored document lacks the number or the notice of the reaction:\n%s", d)
	}
	if paid := manager.get("/rest/payment?fields=amount").wants(200).body; strings.Count(paid, `"amount"`) != 1 {
		t.Errorf("the payments are %s", paid)
	}
}
