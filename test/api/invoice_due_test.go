package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 16.47
func TestInvoiceDueDateFollowsFromTheParties(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	due := func(more fields) string {
		return text(manager.post("/rest/invoice", bill(more)).record()["due_date"])
	}
	if got := due(nil); got != "null" {
		t.Errorf("without terms it is due on %s", got)
	}
	s.as("admin").put("/rest/performer/1/party", fields{"payment_days": 30}).wants(200)
	if got := due(nil); got != "2024-04-08" {
		t.Errorf("by the performer's terms it is due on %s", got)
	}
	manager.put("/rest/client/1/party", fields{"payment_days": 0}).wants(200)
	if got := due(nil); got != "2024-03-09" {
		t.Errorf("by the client's terms it is due on %s", got)
	}
	if got := due(fields{"due_date": "2024-05-01 10:00:00"}); got != "2024-05-01" {
		t.Errorf("it is due on %s", got)
	}
	if got := text(manager.patch("/rest/invoice/2", fields{"date": "2024-01-01"}).record()["due_date"]); got != "2024-04-08" {
		t.Errorf("with another date it is due on %s", got)
	}
	if got := text(manager.patch("/rest/invoice/2", fields{"due_date": nil}).record()["due_date"]); got != "null" {
		t.Errorf("emptied, it is %s", got)
	}
	manager.post("/rest/invoice", bill(fields{"due_date": "soon"})).rejected(http.StatusUnprocessableEntity)
	manager.patch("/rest/invoice/3", fields{"status_id": 4}).wants(200)
	manager.patch("/rest/invoice/3", fields{"due_date": "2024-05-01"}).rejected(http.StatusConflict)
}

// contract 16.48
func TestInvoiceFilterOverdue(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	today := time.Now().UTC().Format(time.DateOnly)
	for i, due := range []any{nil, "2024-03-01", "2024-04-01", "2024-03-01", today, "9999-01-01"} {
		manager.post("/rest/invoice", bill(fields{"due_date": due, "paid": i == 3})).wants(200)
	}
	manager.post("/rest/invoice", bill(fields{"due_date": "2024-03-01", "status_id": 4})).wants(200)
	for query, want := range map[string]string{
		"overdue=1":                       "2 3",
		"overdue=0":                       "1 2 3 4 5 6 7",
		"due_before=2024-04-01":           "2 4",
		"due_from=9999-01-01":             "6",
		"due_from=2024-03-02":             "3 5 6",
		"overdue=1&due_before=2024-04-02": "2 3",
		"sort=-due_date&overdue=1":        "3 2",
	} {
		if !strings.Contains(query, "sort") {
			query += "&sort=id"
		}
		var ids []string
		for _, r := range s.as("viewer").get("/rest/invoice?" + query).items() {
			ids = append(ids, fmt.Sprint(r["id"]))
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s finds %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{"overdue=2", "due_before=yesterday", "due_from=2024-13-01"} {
		s.as("viewer").get("/rest/invoice?" + query).rejected(http.StatusBadRequest)
	}
}

// contract 16.48, 10.97
func TestFiltersOfDueDatesAndCreditsTellCreditNotesAndDraftsApart(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "ids have gaps there")
	s := issuer(t)
	manager, late := s.as("manager"), fields{"due_date": "2024-03-15"}
	s.drafted(late)
	issued := s.drafted(late)
	s.drafted(fields{"due_date": "2024-03-15", "status_id": 4})
	manager.post(issued+"/issue", nil).wants(200)
	line := manager.get(issued + "?expand=items").record()["items"].([]any)[0].(map[string]any)["id"]
	for range 2 {
		manager.post(issued+"/credit", fields{"items": []fields{{"id": line, "count": 1}}}).wants(200)
	}
	manager.post("/rest/invoice/1/credit", fields{"number": "K-1", "items": []fields{{"id": 1, "count": 1}}}).wants(200)
	for query, want := range map[string]string{
		"overdue=1":                "1 3", // 1 is numbered by hand
		"due_before=9999-01-01":    "1 3",
		"due_from=2024-03-15":      "1 3",
		"credits=0":                "1 2 3 4",
		"credits=3":                "5 6",
		"credits=1,3":              "5 6 7",
		"credits=0,1":              "1 2 3 4 7",
		"credits=0&status_id=1":    "1 2 3",
		"credits=2":                "",
		"credits=0&overdue=1":      "1 3",
		"credits=3&client_id=2":    "",
		"credits=3&status_id=1,2":  "5 6",
		"credits=0&date_to=2024-1": "400",
		"credits=-1":               "400",
		"credits=x":                "400",
		"credits=1,x":              "400",
	} {
		r := s.as("viewer").get("/rest/invoice?sort=id&" + query)
		if want == "400" {
			r.rejected(http.StatusBadRequest)
			continue
		}
		var ids []string
		for _, r := range r.items() {
			ids = append(ids, fmt.Sprint(r["id"]))
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s finds %s, want %s", query, got, want)
		}
		if total := r.header.Get("X-Pagination-Total-Count"); total != fmt.Sprint(len(ids)) {
			t.Errorf("%s finds %d of %s", query, len(ids), total)
		}
	}
}

// contract 16.46
func TestInvoiceOfAPerformerWithTwoDigits(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	s.as("admin").put("/rest/performer/1/party", fields{"digits": 2}).wants(200)
	r := s.as("manager").post("/rest/invoice", bill(fields{"items": []fields{goods("Paper", "1.255", "0.3333"), goods("Ink", 1, "0.3333")}})).record()
	if text(r["total_price"]) != "0.7500" || text(r["vat_price"]) != "0.1500" || text(r["pay_price"]) != "0.9000" {
		t.Errorf("the amounts are %v, %v, %v", r["total_price"], r["vat_price"], r["pay_price"])
	}
	explained := s.as("viewer").get("/rest/invoice/1/explain").wants(200).body
	for _, part := range []string{`"exact":"0.4182915","rounding":"half away from zero","digits":2,"result":"0.4200"`, `"exact":"0.75","rounding":null,"digits":2`} {
		if !strings.Contains(explained, part) {
			t.Errorf("%s has no %s", explained, part)
		}
	}
}

// contract 16.47, 16.11
func TestInvoiceIsNotDueBeforeItsDate(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager, draft := s.as("manager"), s.drafted(fields{"date": "2024-01-01"})
	manager.get(draft).wantsText(fields{"due_date": "2024-01-15"})
	manager.post(draft+"/issue", fields{"date": "2024-06-01"}).wants(200).wantsText(fields{"due_date": "2024-06-15"})
	given := s.drafted(fields{"date": "2024-01-01", "due_date": "2024-02-01"})
	refused := manager.post(given+"/issue", fields{"date": "2024-06-02"}).wants(http.StatusUnprocessableEntity)
	refused.wantsParts(`"code":"incomplete"`, `"rule":"KONTOR-DUE-DATE","term":"BT-9","record":"/rest`+given[len("/rest"):]+`","field":"due_date"`)
	manager.post(given+"/issue?as=none", fields{"date": "2024-06-02"}).wants(200).wantsText(fields{"due_date": "2024-02-01"})
	manager.get(given + "/document/check").wants(200).wantsParts(`"items":[{"rule":"KONTOR-DUE-DATE","term":"BT-9"`)
}
