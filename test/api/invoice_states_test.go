package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// states are the four states of an invoice as they are shown.
var states = map[int]struct {
	name         string
	paid, closed bool
}{
	1: {"Not paid", false, false},
	2: {"Paid", true, false},
	3: {"Closed", true, true},
	4: {"Cancelled", false, false},
}

// shows checks all that a record tells of the invoice's state.
func shows(t *testing.T, what any, record map[string]any, status int) {
	t.Helper()
	want := states[status]
	got := record["status"].(map[string]any)
	if text(got["id"]) != fmt.Sprint(status) || got["name"] != want.name || record["paid"] != want.paid || record["closed"] != want.closed {
		t.Errorf("%v: shows %v, paid %v, closed %v; want %d, %+v", what, got, record["paid"], record["closed"], status, want)
	}
	if (record["paid_on"] != nil) != want.paid {
		t.Errorf("%v: %s, paid on %v", what, want.name, record["paid_on"])
	}
}

// contract 10.27, 10.27a, 10.27b, 10.27c, 10.27d, 10.28, 10.29, 10.30, 10.31, 10.35, 2.31
func TestInvoiceCreateWithStatus(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for _, c := range []struct {
		wish   fields
		status int // or what is wrong
		wrong  string
	}{
		{wish: fields{}, status: 1},
		{wish: fields{"paid": false}, status: 1},
		{wish: fields{"paid": "0", "closed": ""}, status: 1},
		{wish: fields{"paid": 1}, status: 2},
		{wish: fields{"paid": "true", "closed": false}, status: 2},
		{wish: fields{"paid": true, "closed": "1"}, status: 3},
		{wish: fields{"status_id": 1}, status: 1},
		{wish: fields{"status_id": "2"}, status: 2},
		{wish: fields{"status_id": 3}, status: 3},
		{wish: fields{"status_id": 4}, status: 4},
		{wish: fields{"status_id": 4, "paid": 0, "closed": 0}, status: 4},
		{wish: fields{"status_id": 3, "paid": 1, "closed": 1}, status: 3},
		{wish: fields{"status_id": ""}, status: 1},
		{wish: fields{"closed": true}, wrong: "closed"},
		{wish: fields{"paid": false, "closed": true}, wrong: "closed"},
		{wish: fields{"status_id": 1, "paid": true}, wrong: "paid"},
		{wish: fields{"status_id": 2, "closed": true}, wrong: "closed"},
		{wish: fields{"status_id": 4, "paid": true, "closed": true}, wrong: "paid closed"},
		{wish: fields{"status_id": 0}, wrong: "status_id"},
		{wish: fields{"status_id": 5}, wrong: "status_id"},
		{wish: fields{"status_id": "paid"}, wrong: "status_id"},
		{wish: fields{"status_id": 258}, wrong: "status_id"},
	} {
		r := s.as("manager").post("/rest/invoice", bill(c.wish))
		if c.wrong != "" {
			if got := strings.Join(r.blames(), " "); got != c.wrong {
				t.Errorf("%v: blames %s, want %s", c.wish, got, c.wrong)
			}
			continue
		}
		record := r.record()
		shows(t, c.wish, record, c.status)
		if states[c.status].paid && record["paid_on"] != record["created_on"] {
			t.Errorf("%v: paid on %v, created on %v", c.wish, record["paid_on"], record["created_on"])
		}
	}
}

// contract 10.30, 10.32, 2.32, 4.58
func TestInvoiceUpdateWithReadRepresentationChangesNothing(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	for _, status := range []int{1, 2, 3, 4} {
		address := manager.post("/rest/invoice", bill(fields{"status_id": status, "notice": "a\nb", "items": []fields{goods("pens", "2.5", "10.5"), goods("less", -1, "4")}})).wants(200).header.Get("Location")
		for _, query := range []string{"", "?expand=items", "?expand=items,deal,company,manager,status", "?fields=paid,closed,items"} {
			shown := manager.get(address + query).wants(200)
			for _, method := range []string{http.MethodPut, http.MethodPatch} {
				echoed := manager.send(method, address+query, shown.body).wants(200)
				if echoed.body != shown.body || echoed.header.Get("ETag") != shown.header.Get("ETag") {
					t.Errorf("status %d, %s: sent\n%s\ngot\n%s", status, query, shown.body, echoed.body)
				}
			}
		}
		// So does one whose values are sent in other words.
		same := fields{"paid": fmt.Sprint(status / 2 % 2), "performer_id": "1", "deal_id": status, "client_id": 1, "type_id": 1, "date": "2024-03-09T00:00:00Z", "status_id": status, "number": " R-1"}
		before := manager.get(address)
		if after := manager.put(address, same).wants(200); after.body != before.body || after.header.Get("ETag") != before.header.Get("ETag") {
			t.Errorf("status %d: %v has changed\n%s\ninto\n%s", status, same, before.body, after.body)
		}
	}
	s.as("viewer").put("/rest/invoice/1", "{}").refused(403)
}

// contract 10.33, 10.34, 10.28, 10.29, 10.30, 10.31, 10.32, 10.35: every wish
// for a state, from every state. The number is the state that follows, or the
// refusal.
func TestInvoiceStatusTransitions(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	wishes := []fields{
		{"status_id": 1},
		{"status_id": 2},
		{"status_id": 3},
		{"status_id": 4},
		{"paid": true},
		{"paid": false},
		{"closed": true},
		{"closed": false},
		{"paid": true, "closed": true},
		{"paid": true, "closed": false},
		{"paid": false, "closed": false},
		{"paid": false, "closed": true},
		{"paid": true, "status_id": 1},
		{"paid": true, "status_id": 4},
		{"closed": true, "status_id": 2},
		{"paid": false, "status_id": 3},
	}
	want := map[int][]int{
		1: {1, 2, 3, 4, 2, 1, 409, 1, 3, 2, 1, 422, 2, 422, 422, 3},
		2: {1, 2, 3, 409, 2, 1, 3, 2, 3, 2, 1, 422, 1, 409, 3, 422},
		3: {409, 2, 3, 409, 3, 409, 3, 2, 3, 2, 409, 422, 409, 409, 2, 409},
		4: {1, 409, 409, 4, 409, 4, 409, 4, 409, 409, 4, 422, 422, 409, 422, 409},
	}
	for from, results := range want {
		for i, result := range results {
			what := fmt.Sprintf("%s, then %v", states[from].name, wishes[i])
			created := manager.post("/rest/invoice", bill(fields{"status_id": from}))
			address := created.wants(200).header.Get("Location")
			updated := manager.patch(address, wishes[i])
			status, next := http.StatusOK, result
			if result > 4 {
				status, next = result, from
			}
			if updated.status != status {
				t.Errorf("%s: status %d, want %d\n%s", what, updated.status, status, updated.body)
			}
			now := manager.get(address)
			shows(t, what, now.record(), next)
			if changed := now.header.Get("ETag") != created.header.Get("ETag"); changed != (next != from) {
				t.Errorf("%s: has the version moved? %v", what, changed)
			}
		}
	}
}

// contract 10.35
func TestInvoicePaidOnIsKeptWhilePaid(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/invoice", bill(fields{"status_id": 2})).wants(200)
	s.paidOn(1, "2024-05-06 07:08:09+00")
	const then = "2024-05-06 07:08:09"
	for _, step := range []struct {
		body fields
		want string
	}{
		{fields{"closed": true}, then},
		{fields{"notice": "x"}, then},
		{fields{"closed": false}, then},
		{fields{"paid": true, "paid_on": "2001-01-01 00:00:00"}, then},
		{fields{"paid": false}, "null"},
	} {
		record := manager.put("/rest/invoice/1", step.body).record()
		if got := text(record["paid_on"]); got != step.want {
			t.Errorf("after %v paid_on is %s, want %s", step.body, got, step.want)
		}
	}
	record := manager.put("/rest/invoice/1", fields{"paid": true}).record()
	if record["paid_on"] != record["updated_on"] {
		t.Errorf("paid again on %v, updated on %v", record["paid_on"], record["updated_on"])
	}
}

// contract 10.36, 3.15, 3.25, 4.58, 10.76
func TestInvoiceClosedOrCancelledIsReadOnly(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "elsewhere", "client_id": 1}).wants(200)
	stored := fields{"items": []fields{goods("a", 2, 3), goods("b", 1, 1)}}
	for _, frozen := range []int{3, 4} {
		created := manager.post("/rest/invoice?expand=items", bill(fieldsWith(fields{"status_id": frozen}, stored))).wants(200)
		address := created.header.Get("Location")
		id := created.record()["id"]
		lines := created.record()["items"].([]any)
		first := lines[0].(map[string]any)
		item := fmt.Sprintf("/rest/invoice-items/%s", first["id"])
		for _, c := range []struct {
			method, path string
			body         any
		}{
			{http.MethodPut, address, fields{"number": "R-2"}},
			{http.MethodPut, address, fields{"date": "2024-03-10"}},
			{http.MethodPut, address, fields{"performer_id": 2}},
			{http.MethodPut, address, fields{"client_id": 2}},
			{http.MethodPut, address, fields{"deal_id": 1}},
			{http.MethodPut, address, fields{"deal_id": 99}},
			{http.MethodPut, address, fields{"type_id": 2}},
			{http.MethodPut, address, fields{"items": []fields{}}},
			{http.MethodPut, address, fields{"items": []fields{{"id": first["id"]}}}},
			{http.MethodPut, address, fields{"items": append([]any{goods("c", 1, 1)}, lines...)}},
			{http.MethodPatch, address, fields{"number": "R-2", "notice": "n"}},
			{http.MethodPatch, address, fields{"number": "R-2", "status_id": map[int]int{3: 2, 4: 1}[frozen]}},
			{http.MethodPost, "/rest/invoice-items", fields{"invoice_id": id, "name": "c"}},
			{http.MethodPut, item, fields{"name": "c"}},
			{http.MethodPut, item, fields{"count": 1, "price": 6}},
			{http.MethodPatch, item, fields{"units": "kg"}},
			{http.MethodDelete, item, nil},
		} {
			manager.send(c.method, c.path, c.body).refused(409)
		}
		now := manager.get(address + "?expand=items")
		if diff := cmp.Diff(created.record(), now.record()); diff != "" || now.header.Get("ETag") != created.header.Get("ETag") {
			t.Errorf("a frozen invoice has changed: %s", diff)
		}
		// What is no change is no harm, and the notice may change.
		manager.put(item, manager.get(item).body).wants(200)
		manager.put(item, fields{"invoice_id": 99, "items_count": "2.0", "items_total_price": 6}).wants(200)
		manager.put(address, fields{"number": "R-1", "items": lines, "notice": "for the record"}).wants(200)
		if got := manager.get(address).record()["notice"]; got != "for the record" {
			t.Errorf("the notice is %v", got)
		}
		// Afterwards it is judged by its new state.
		manager.put(address, fields{"status_id": map[int]int{3: 2, 4: 1}[frozen]}).wants(200)
		manager.put(address, fields{"number": "R-2"}).wants(200)
		manager.put(item, fields{"count": 1}).wants(200)
		// The change that freezes may change the rest as well.
		shows(t, "both at once", manager.put(address, fields{"number": "R-3", "items": []fields{goods("last", 1, 1)}, "status_id": frozen}).record(), frozen)
	}
}

// contract 10.37, 10.38, 4.4
func TestInvoiceDeleteRemovesItemsOnly(t *testing.T) {
	t.Parallel()
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
