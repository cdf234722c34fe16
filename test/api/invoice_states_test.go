package api_test

import (
	"fmt"
	"strings"
	"testing"
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

// checkStatus checks all attributes of a record that depend on the invoice's state.
func checkStatus(t *testing.T, what any, record map[string]any, status int) {
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

// contract 10.27, 10.29, 10.30, 10.35, 2.30
func TestInvoiceCreateWithStatus(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for _, c := range []struct {
		body   fields
		status int // 0 if fields are wrong
		wrong  string
	}{
		{body: fields{}, status: 1},
		{body: fields{"paid": 1}, status: 2},
		{body: fields{"paid": "true", "closed": false}, status: 2},
		{body: fields{"paid": true, "closed": "1"}, status: 3},
		{body: fields{"status_id": "2"}, status: 2},
		{body: fields{"status_id": 4}, status: 4},
		{body: fields{"paid": "0", "closed": ""}, status: 1},
		{body: fields{"status_id": ""}, status: 1},
		{body: fields{"closed": true}, wrong: "closed"},
		{body: fields{"status_id": 4, "paid": true, "closed": true}, wrong: "paid closed"},
		{body: fields{"status_id": 5}, wrong: "status_id"},
	} {
		r := s.as("manager").post("/rest/invoice", bill(c.body))
		if c.wrong != "" {
			if got := strings.Join(r.wrongFields(), " "); got != c.wrong {
				t.Errorf("%v: wrong fields %s, want %s", c.body, got, c.wrong)
			}
			continue
		}
		record := r.record()
		checkStatus(t, c.body, record, c.status)
		if states[c.status].paid && record["paid_on"] != record["created_on"] {
			t.Errorf("%v: paid on %v, created on %v", c.body, record["paid_on"], record["created_on"])
		}
	}
}
