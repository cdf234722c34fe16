package api_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 1.37, 10.46, 10.47, 5.17, 7.9
func TestAnInvoiceWithoutADealOpensOneForTheClientsUser(t *testing.T) {
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

// contract 1.37, 10.47, 3.29
func TestWithoutADefaultStatusAnInvoiceSaysHowToGetOne(t *testing.T) {
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

// contract 10.46, 10.49, 7.14, 7.16
func TestADealWithoutAClientGainsThatOfItsFirstInvoice(t *testing.T) {
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

// contract 3.3, 3.19, 10.46
func TestReferencesToNothingAreRefusedTogether(t *testing.T) {
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

// contract 10.53, 10.54
func TestAnInvoiceMovesToAnotherDeal(t *testing.T) {
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

// contract 10.37, 10.38, 4.4
func TestWithAnInvoiceGoItsLinesAndNothingElse(t *testing.T) {
	s := startBilling(t)
	manager := s.as("manager")
	for _, status := range []int{1, 2, 4, 3} {
		manager.post("/rest/invoice", bill(fields{"status_id": status, "items": []fields{goods("a", 1, 1), goods("b", 2, 2)}})).wants(200)
	}
	for _, id := range []string{"1", "2", "3"} {
		if got := manager.delete("/rest/invoice/" + id).wants(200).body; got != `{"response":{"id":`+id+`}}` {
			t.Errorf("got %s", got)
		}
		manager.get("/rest/invoice/" + id).refused(404)
		manager.delete("/rest/invoice/" + id).refused(404)
	}
	manager.delete("/rest/invoice/4").refused(409)
	if got := manager.get("/rest/invoice-items").column("invoice_id"); !cmp.Equal(got, []string{"4", "4"}) {
		t.Errorf("the lines that are left belong to %v", got)
	}
	if n := s.count("deal_history", "invoice_id is null"); n != 7 {
		t.Errorf("%d entries of the history are without an invoice, want 4 of deals and 3 of deleted invoices", n)
	}
	manager.put("/rest/invoice/4", fields{"closed": false}).wants(200)
	manager.delete("/rest/invoice/4").wants(200)
}

// contract 5.13 to 5.15, 6.24, 6.46
func TestWhoMayWriteInvoicesAndWhatTheyHoldInPlace(t *testing.T) {
	s := startBilling(t)
	viewer := s.as("viewer")
	viewer.post("/rest/invoice", bill(nil)).refused(403)
	for _, name := range []string{"admin", "manager", "other"} {
		s.as(name).post("/rest/invoice", bill(fields{"items": []fields{goods("a", 1, 1)}})).wants(200)
	}
	viewer.put("/rest/invoice/1", fields{"notice": "x"}).refused(403)
	viewer.delete("/rest/invoice/1").refused(403)
	viewer.post("/rest/invoice-items", fields{"invoice_id": 1, "name": "b"}).refused(403)
	viewer.put("/rest/invoice-items/1", fields{"name": "b"}).refused(403)
	viewer.delete("/rest/invoice-items/1").refused(403)
	s.nobody().get("/rest/invoice").wants(401)
	s.nobody().get("/rest/invoice-items").wants(401)
	for _, held := range []string{"/rest/performer/1", "/rest/invoice-type/1", "/rest/client/1"} {
		s.as("admin").delete(held).refused(409)
	}
	s.as("other").put("/rest/invoice/1", fields{"notice": "seen"}).wants(200)
	if got := viewer.get("/rest/invoice?sort=id").column("user_id"); !cmp.Equal(got, []string{"1", "2", "4"}) {
		t.Errorf("the invoices were issued by %v", got)
	}
}

// contract 10.46, 10.50, 7.17: whoever comes first, a deal has the client of all
// its invoices.
func TestADealAndItsInvoicesAgreeOnTheClientWhoeverComesFirst(t *testing.T) {
	for first := range 3 {
		s := startBilling(t)
		manager := s.as("manager")
		manager.post("/rest/deal", fields{"name": "x"}).wants(200)
		requests := []func() *reply{
			func() *reply { return manager.post("/rest/invoice", bill(fields{"deal_id": 1})) },
			func() *reply { return manager.post("/rest/invoice", bill(fields{"deal_id": 1, "client_id": 2})) },
			func() *reply { return manager.put("/rest/deal/1", fields{"client_id": 2}) },
		}
		s.rush("select id from deals where id = 1 for update", append(requests[first:], requests[:first]...)...)
		if n := s.count("invoices i join deals d on d.id = i.deal_id", "d.client_id = i.client_id"); n != 1 {
			t.Errorf("%d invoices are in the deal, want 1", n)
		}
		if n := s.count("deal_history", "invoice_id is not null"); n != 1 {
			t.Errorf("%d entries of the history name an invoice", n)
		}
	}
}
