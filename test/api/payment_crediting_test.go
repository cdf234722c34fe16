package api_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// contract 4.61, 4.96, 18.7
func TestCreditInADryRunSetsNothingOffAndARepeatedOneOnce(t *testing.T) {
	t.Parallel()
	s := paying{issuer(t)}
	manager, draft := s.as("manager"), s.drafted(nil) // of 65.96
	invoice := strings.TrimPrefix(draft, "/rest/invoice/")
	manager.post(draft+"/issue", nil).wants(http.StatusOK)
	s.pay("5.96", settling(invoice, "5.96"))
	manager.post(draft+"/credit?dry_run=1", nil).wants(http.StatusOK)
	s.is("5.9600 0.0000 60.0000 1", invoice)
	if n := s.count("payments", "true"); n != 1 {
		t.Errorf("after a dry run there are %d payments", n)
	}
	first := manager.withKey("once").post(draft+"/credit", nil).wants(http.StatusOK)
	again := manager.withKey("once").post(draft+"/credit", nil).wants(http.StatusOK)
	if first.body != again.body {
		t.Errorf("repeated, the credit note is %s, not %s", again.body, first.body)
	}
	s.is("65.9600 0.0000 0.0000 2", invoice)
	s.is("-60.0000 0.0000 -5.9600 1", first.id())
	if n := s.count("payments", "true"); n != 2 {
		t.Errorf("after a repeated credit there are %d payments", n)
	}
}

// contract 18.7, 18.10
func TestRulesJudgeNoSetOff(t *testing.T) {
	t.Parallel()
	s := paying{issuer(t)}
	s.as("admin").post("/rest/rule", fields{
		"name": "no-payments", "resource": "payment", "on": []string{"create", "update", "delete"}, "mode": "enforce", "expression": "false", "message": "never",
	}).wants(http.StatusOK)
	manager, draft := s.as("manager"), s.drafted(nil)
	invoice := strings.TrimPrefix(draft, "/rest/invoice/")
	manager.post(draft+"/issue", nil).wants(http.StatusOK)
	manager.post("/rest/payment", payment("1", settling(invoice, "1"))).rejected(http.StatusUnprocessableEntity)
	line := manager.get(draft + "?expand=items").record()["items"].([]any)[0].(map[string]any)["id"]
	note := manager.post(draft+"/credit", fields{"items": []fields{{"id": line, "count": 1}}}).wants(http.StatusOK).id()
	s.is("23.9900 0.0000 41.9700 1", invoice)
	s.is("-23.9900 0.0000 0.0000 2", note)
	manager.patch(draft, fields{"paid": true}).wants(http.StatusOK)
	s.is("65.9600 0.0000 0.0000 2", invoice)
}

// contract 18.4, 18.33
func TestCurrencyOfASettledInvoiceStays(t *testing.T) {
	t.Parallel()
	s := paying{issuer(t)}
	manager := s.as("manager")
	prepaid := s.drafted(fields{"currency": "USD", "exchange_rate": "0.9"})
	id := strings.TrimPrefix(prepaid, "/rest/invoice/")
	paid := s.pay("20", settling(id, "20"))
	s.refused(manager.patch(prepaid, fields{"currency": "CHF"}), http.StatusConflict, "has_payments", `"record_id":`+paid+"}")
	manager.post(prepaid+"/issue", nil).wants(http.StatusOK)
	manager.get(prepaid+"/document?as=ubl").wants(http.StatusOK).
		wantsParts(`<cbc:PrepaidAmount currencyID="USD">20.00<`, `<cbc:PayableAmount currencyID="USD">45.96<`)
	s.reported("receivables?at=2999-01-01&by=invoice&fields=items.id,items.currency,items.total", "id currency total",
		id+" USD 45.9600", "1 EUR 71.9600")

	flagged := s.drafted(nil)
	manager.patch(flagged, fields{"paid": true}).wants(http.StatusOK)
	manager.patch(flagged, fields{"currency": "CHF"}).wants(http.StatusOK)
}

// contract 18.10, 18.33
func TestPaymentsBesideIssueArePrepaidOrNot(t *testing.T) {
	t.Parallel()
	s := paying{issuer(t)}
	draft := s.drafted(nil)
	id := strings.TrimPrefix(draft, "/rest/invoice/")
	var prepaid string
	var wg sync.WaitGroup
	for i := range 8 {
		manager := s.as("manager")
		wg.Go(func() {
			if i == 4 {
				prepaid = text(manager.post(draft+"/issue", nil).record()["paid_price"])
				return
			}
			manager.post("/rest/payment", payment("1", settling(id, "1"))).wants(http.StatusOK)
		})
	}
	wg.Wait()
	s.is("7.0000 0.0000 58.9600 1", id)
	html := s.as("viewer").get(draft + "/document?as=html").wants(http.StatusOK)
	if paid := strings.TrimSuffix(prepaid, "00"); paid == "0.00" {
		html.lacks("Already paid")
	} else {
		html.wantsParts("Already paid", "-"+paid)
	}
	if n := s.deadlocks(); n != 0 {
		t.Errorf("PostgreSQL has ended %d deadlocks", n)
	}
}
