package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 10.46, 10.49, 7.14, 7.16
func TestInvoiceCreateGivesDealItsClient(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "inquiry"}).wants(200)
	manager.post("/rest/contact", fields{"name": "Zoe", "deal_id": 1}).wants(200)
	manager.put("/rest/deal/1", fields{"status_id": 2}).wants(200)

	manager.post("/rest/invoice", bill(fields{"deal_id": 1, "client_id": 2})).wants(200)
	manager.post("/rest/invoice", bill(fields{"deal_id": 1, "client_id": 2})).wants(200)
	if got := manager.get("/rest/deal/1?fields=client_id,name").body; got != `{"response":{"name":"inquiry","client_id":2}}` {
		t.Errorf("the deal is %s", got)
	}
	if got := manager.get("/rest/contact?client_id=2").column("name"); !cmp.Equal(got, []string{"Zoe"}) {
		t.Errorf("the client's contacts are %v", got)
	}
	var entries []string
	for _, e := range manager.get("/rest/deal/1/history").items() {
		entries = append(entries, text(e["status_id"])+" "+text(e["invoice_id"]))
	}
	if want := []string{"1 null", "2 null", "2 1", "2 2"}; !cmp.Equal(entries, want) {
		t.Errorf("the history is %v, want %v", entries, want)
	}
	// The deal keeps its client.
	if got := manager.post("/rest/invoice", bill(fields{"deal_id": 1, "client_id": 1})).wrongFields(); !cmp.Equal(got, []string{"client_id"}) {
		t.Errorf("the wrong fields with another client are %v", got)
	}
	manager.put("/rest/deal/1", fields{"client_id": 1}).rejected(409)
	manager.delete("/rest/deal/1").rejected(409)
}

// contract 10.47, 10.44, 10.48, 10.49, 5.17
func TestInvoiceWithoutDealOpensDealForClientUser(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for i, deal := range []any{nil, "", json.RawMessage("null")} {
		// Acme's user is the manager; opening a deal for them is no reassignment.
		record := s.as("other").post("/rest/invoice?expand=deal", bill(fields{"number": " Bill/7 ", "deal_id": deal})).record()
		opened := record["deal"].(map[string]any)
		for name, want := range map[string]string{"id": fmt.Sprint(i + 1), "name": "Bill/7", "client_id": "1", "user": "2", "status_id": "1", "type_id": "null"} {
			if got := text(opened[name]); got != want {
				t.Errorf("the deal's %s is %s, want %s", name, got, want)
			}
		}
		if got := text(record["user_id"]); got != "4" {
			t.Errorf("the invoice was issued by %s", got)
		}
		want := []string{fmt.Sprintf("1 null 4 %s", record["created_on"]), fmt.Sprintf("1 %s 4 %[2]s", record["id"], record["created_on"])}
		if got := history(s, i+1); !cmp.Equal(got, want) {
			t.Errorf("the history is %v, want %v", got, want)
		}
	}
}

// history returns the entries of a deal's history: status, invoice, user, time.
func history(s *service, deal int) []string {
	s.t.Helper()
	entries := []string{}
	for _, e := range s.as("viewer").get(fmt.Sprintf("/rest/deal/%d/history", deal)).items() {
		entries = append(entries, fmt.Sprintf("%s %s %s %s", text(e["status_id"]), text(e["invoice_id"]), text(e["user_id"]), text(e["created_on"])))
	}
	return entries
}

// contract 10.52, 10.44, 10.45
func TestInvoiceUpdateAcceptsCreateFields(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "elsewhere", "client_id": 2}).wants(200)
	manager.post("/rest/invoice", bill(nil)).wants(200)
	updated := manager.put("/rest/invoice/1?expand=items,company,status", fields{
		"number": "R-2", "date": "2024-04-01", "performer_id": 2, "client_id": 2, "type_id": 2, "deal_id": 1, "notice": "n",
		"status_id": 2, "paid": true, "closed": false, "items": []fields{goods("a", 2, 3)},
	})
	record := updated.record()
	for name, want := range map[string]string{
		"number": "R-2", "date": "2024-04-01 00:00:00", "deal_id": "1", "notice": "n", "paid": "true", "closed": "false", "total_count": "1", "pay_price": "6.0000", "vat_price": "0.0000",
	} {
		if got := text(record[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"performer": "2", "type": "2", "company": "2", "status": "2"} {
		if got := text(record[name].(map[string]any)["id"]); got != want {
			t.Errorf("the %s is %s, want %s", name, got, want)
		}
	}
	if read := manager.get("/rest/invoice/1?expand=items,company,status"); read.body != updated.body || read.header.Get("ETag") != updated.header.Get("ETag") {
		t.Errorf("the update returned\n%s\nthe read\n%s", updated.body, read.body)
	}
	for attribute, wrong := range map[string]any{
		"number": "", "date": "soon", "performer_id": 9, "client_id": 1, "type_id": nil, "deal_id": nil, "notice": strings.Repeat("x", 65_536), "status_id": 5, "paid": "x", "closed": "x", "items": "x",
	} {
		if got := manager.put("/rest/invoice/1", fields{attribute: wrong}).wrongFields(); !cmp.Equal(got, []string{attribute}) {
			t.Errorf("%s of %.20v: wrong fields %v", attribute, wrong, got)
		}
	}
}
