package api_test

import (
	"net/http"
	"strings"
	"testing"
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
