package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 10.39, 10.40, 10.41, 10.42, 10.43, 10.5, 10.6, 10.7, 10.31, 10.50, 10.55, 10.56,
// 10.57, 10.58, 10.59, 10.60, 10.61, 10.79, 10.80, 10.83, 10.88, 3.3, 3.29, 4.74, 4.76
func TestInvoiceValidationNamesEveryFieldAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for _, c := range []struct {
		body  any
		wrong []string
	}{
		{fields{}, []string{"number", "date", "performer_id", "client_id", "type_id"}},
		{bill(fields{"number": "", "date": "", "performer_id": "", "client_id": 0, "type_id": []int{1}}), []string{"client_id", "type_id", "number", "date", "performer_id"}},
		{bill(fields{"number": strings.Repeat("1", 65), "notice": strings.Repeat("x", 65_536)}), []string{"number", "notice"}},
		{bill(fields{"date": "9.3.2024"}), []string{"date"}},
		{bill(fields{"date": "1899-12-31"}), []string{"date"}},
		{bill(fields{"date": "10000-01-01"}), []string{"date"}},
		{bill(fields{"date": "2023-02-29"}), []string{"date"}},
		{bill(fields{"date": 20240309}), []string{"date"}},
		{bill(fields{"paid": "perhaps", "status_id": 5}), []string{"paid", "status_id"}},
		{bill(fields{"paid": false, "closed": true}), []string{"closed"}},
		{bill(fields{"items": "pens"}), []string{"items"}},
		{bill(fields{"items": fields{"name": "pens"}}), []string{"items"}},
		{bill(fields{"items": []any{goods("pens", 1, 1), fields{"units": 5}, fields{"name": "x", "id": 1}}}), []string{"items[1].units", "items[1].name", "items[2].id"}},
		{bill(fields{"items": []any{"pens", goods("", 0, 1)}}), []string{"items[0]", "items[0].name", "items[1].name", "items[1].items_count"}},
		{bill(fields{"items": []any{fields{"name": "a", "count": 0}, fields{"name": strings.Repeat("x", 65_536), "units": strings.Repeat("x", 256)}}}), []string{"items[0].count", "items[1].name", "items[1].units"}},
		{bill(fields{"items": []any{goods("a", "1.0000001", 1), goods("b", "1e12", "-1e12"), goods("c", true, "1.00001")}}), []string{"items[0].items_count", "items[1].items_count", "items[1].item_price", "items[2].items_count", "items[2].item_price"}},
		{bill(fields{"items": []any{fields{"name": "a", "count": 2, "items_count": 3}, fields{"name": "b", "price": nil, "item_price": 3}, fields{"name": "c", "total_price": 1, "items_total_price": 0}}}), []string{"items[0].count", "items[1].price", "items[2].total_price"}},
		{bill(fields{"items": []any{fields{"name": "a", "count": 3, "price": "1.5", "items_total_price": "4.5051"}}}), []string{"items[0].items_total_price"}},
		{bill(fields{"items": []any{goods("a", 999_999_999_999, 999), goods("b", 999_999_999_999, 999)}}), []string{"items"}},
	} {
		raw, _ := json.Marshal(c.body)
		if got := s.as("manager").post("/rest/invoice", c.body).blames(); !cmp.Equal(got, c.wrong) {
			t.Errorf("%.300s: blames %v, want %v", raw, got, c.wrong)
		}
	}
	for _, table := range []string{"invoices", "invoice_lines", "deals", "deal_history"} {
		if n := s.count(table, "true"); n != 0 {
			t.Errorf("%d rows of %s were stored", n, table)
		}
	}
}

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
	// Now it has one, and keeps it.
	if got := manager.post("/rest/invoice", bill(fields{"deal_id": 1, "client_id": 1})).blames(); !cmp.Equal(got, []string{"client_id"}) {
		t.Errorf("another client blames %v", got)
	}
	manager.put("/rest/deal/1", fields{"client_id": 1}).refused(409)
	manager.delete("/rest/deal/1").refused(409)
}

// contract 10.46, 10.53, 10.54, 3.3, 3.19, 3.25
func TestInvoiceDanglingReferencesAreRejectedTogether(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/invoice", bill(nil)).wants(200)
	for _, c := range []struct {
		body  fields
		wrong []string
	}{
		{bill(fields{"deal_id": 9, "performer_id": 9, "client_id": 9, "type_id": 9}), []string{"deal_id", "performer_id", "client_id", "type_id"}},
		{bill(fields{"deal_id": 1, "client_id": 2, "type_id": 9}), []string{"type_id", "client_id"}},
		{bill(fields{"client_id": 9}), []string{"client_id"}},
		{bill(fields{"type_id": 9, "number": ""}), []string{"number"}},
	} {
		if got := manager.post("/rest/invoice", c.body).blames(); !cmp.Equal(got, c.wrong) {
			t.Errorf("creating %v blames %v, want %v", c.body, got, c.wrong)
		}
	}
	for _, c := range []struct {
		body  fields
		wrong []string
	}{
		{fields{"deal_id": 9, "performer_id": 9, "client_id": 9, "type_id": 9}, []string{"deal_id", "performer_id", "client_id", "type_id"}},
		{fields{"deal_id": nil}, []string{"deal_id"}},
		{fields{"client_id": 2, "type_id": 9}, []string{"type_id", "client_id"}},
		{fields{"client_id": 9}, []string{"client_id"}},
	} {
		if got := manager.put("/rest/invoice/1", c.body).blames(); !cmp.Equal(got, c.wrong) {
			t.Errorf("updating with %v blames %v, want %v", c.body, got, c.wrong)
		}
	}
	if n := s.count("invoices", "true") + s.count("deals", "true"); n != 2 {
		t.Errorf("there are %d records, want 2", n)
	}
}

// contract 10.47, 10.44, 10.48, 10.49, 5.17
func TestInvoiceWithoutDealOpensDealForClientUser(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for i, deal := range []any{nil, "", json.RawMessage("null")} {
		// Acme is the manager's, and still the other one is not giving a deal away.
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

// history is the entries of a deal's history: status, invoice, user, time.
func history(s *service, deal int) []string {
	s.t.Helper()
	entries := []string{}
	for _, e := range s.as("viewer").get(fmt.Sprintf("/rest/deal/%d/history", deal)).items() {
		entries = append(entries, fmt.Sprintf("%s %s %s %s", text(e["status_id"]), text(e["invoice_id"]), text(e["user_id"]), text(e["created_on"])))
	}
	return entries
}

// contract 10.47, 10.50, 1.37, 3.29
func TestInvoiceWithoutDefaultStatusExplainsHowToSetIt(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	s.execute("update statuses set is_default = false")
	p := s.as("manager").post("/rest/invoice", bill(fields{"items": []fields{goods("a", 1, 1)}})).refused(422)
	if len(p.Errors) != 1 || p.Errors[0].Field != "deal_id" {
		t.Errorf("blames %v", p.Errors)
	}
	const hint = "deal_id is required, as there is no default status that a deal opened for the invoice could have: name a deal, or create a status whose default is true"
	if p.Detail != hint {
		t.Errorf("says %q", p.Detail)
	}
	if n := s.count("invoices", "true") + s.count("deals", "true"); n != 0 {
		t.Errorf("%d records were stored", n)
	}
	s.as("manager").post("/rest/deal", fields{"name": "x", "client_id": 1, "status_id": 2}).wants(200)
	s.as("manager").post("/rest/invoice", bill(fields{"deal_id": 1})).wants(200)
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
		t.Errorf("the update answers\n%s\nreading it\n%s", updated.body, read.body)
	}
	for attribute, wrong := range map[string]any{
		"number": "", "date": "soon", "performer_id": 9, "client_id": 1, "type_id": nil, "deal_id": nil, "notice": strings.Repeat("x", 65_536), "status_id": 5, "paid": "x", "closed": "x", "items": "x",
	} {
		if got := manager.put("/rest/invoice/1", fields{attribute: wrong}).blames(); !cmp.Equal(got, []string{attribute}) {
			t.Errorf("%s of %.20v blames %v", attribute, wrong, got)
		}
	}
}

// contract 10.53, 10.54
func TestInvoiceMoveToAnotherDeal(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "Acme's", "client_id": 1}).wants(200)
	manager.post("/rest/deal", fields{"name": "Berta's", "client_id": 2}).wants(200)
	manager.post("/rest/deal", fields{"name": "nobody's"}).wants(200)
	manager.post("/rest/deal", fields{"name": "nobody's either"}).wants(200)
	manager.post("/rest/contact", fields{"name": "Zoe", "deal_id": 3}).wants(200)
	manager.post("/rest/invoice", bill(fields{"deal_id": 1})).wants(200)
	before := s.count("deal_history", "true")
	for _, step := range []struct {
		body fields
		deal string // where the invoice is then
		of   string // the client, of the invoice and of that deal
	}{
		{fields{"client_id": 1}, "1", "1"},
		{fields{"deal_id": 2}, "2", "2"},
		{fields{"deal_id": 1, "client_id": 1}, "1", "1"},
		{fields{"deal_id": 3}, "3", "1"},
		{fields{"deal_id": 2, "client_id": 2}, "2", "2"},
		{fields{"deal_id": 4, "client_id": 1}, "4", "1"},
	} {
		record := manager.patch("/rest/invoice/1?expand=deal,company", step.body).record()
		deal := record["deal"].(map[string]any)
		got := []string{text(record["deal_id"]), text(record["company"].(map[string]any)["id"]), text(deal["id"]), text(deal["client_id"])}
		if want := []string{step.deal, step.of, step.deal, step.of}; !cmp.Equal(got, want) {
			t.Errorf("%v: deal, client, deal, its client are %v, want %v", step.body, got, want)
		}
	}
	if got := manager.get("/rest/contact?client_id=1").column("name"); !cmp.Equal(got, []string{"Zoe"}) {
		t.Errorf("the contacts of the client that the deal gained are %v", got)
	}
	for _, body := range []fields{{"deal_id": 2, "client_id": 1}, {"client_id": 2}} {
		if got := manager.put("/rest/invoice/1", body).blames(); !cmp.Equal(got, []string{"client_id"}) {
			t.Errorf("%v blames %v", body, got)
		}
	}
	if n := s.count("deal_history", "true") - before; n != 0 {
		t.Errorf("moving has added %d entries to the history", n)
	}
	for _, id := range []string{"1", "2"} {
		manager.delete("/rest/deal/" + id).wants(200) // it has no invoice any more
	}
}
