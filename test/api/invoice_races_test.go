package api_test

import (
	"fmt"
	"sync"
	"testing"
)

// contract 10.54: concurrent moves do not deadlock, and each invoice is in a deal of
// its client.
func TestInvoiceConcurrentMovesAreSerialized(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	for _, client := range []any{1, 2, nil} {
		manager.post("/rest/deal", fields{"name": "d", "client_id": client}).wants(200)
	}
	for range 3 {
		manager.post("/rest/invoice", bill(fields{"deal_id": 1, "items": []fields{goods("a", 1, 1)}})).wants(200)
	}
	var group sync.WaitGroup
	for i := range 18 {
		group.Go(func() {
			r := manager.put(fmt.Sprintf("/rest/invoice/%d", 1+i%3), fields{"deal_id": 1 + i/3%3, "items": []fields{goods("b", 1, i)}})
			if r.status != 200 {
				t.Errorf("%d %s", r.status, r.body)
			}
		})
	}
	group.Wait()
	for _, record := range manager.get("/rest/invoice?expand=items,deal,company").items() {
		addsUp(t, record, "20")
		if got, want := text(record["company"].(map[string]any)["id"]), text(record["deal"].(map[string]any)["client_id"]); got != want {
			t.Errorf("invoice %v is client %s's, its deal client %s's", record["id"], got, want)
		}
	}
}

// contract 10.36, 3.12
func TestInvoiceItemUpdateRacingDeleteIsNotFound(t *testing.T) {
	t.Parallel()
	const lock = "select id from invoices where id = 1 for update"
	for _, c := range []struct {
		name  string
		first func(c *caller) *reply
		later int
	}{
		{"the line is removed", func(c *caller) *reply { return c.delete("/rest/invoice-items/1") }, 404},
		{"the invoice is removed", func(c *caller) *reply { return c.delete("/rest/invoice/1") }, 404},
		{"the invoice is closed", func(c *caller) *reply { return c.put("/rest/invoice/1", fields{"status_id": 3}) }, 409},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startBilling(t)
			manager := s.as("manager")
			manager.post("/rest/invoice", bill(fields{"items": []fields{goods("a", 1, 1), goods("b", 1, 1)}})).wants(200)
			responses := s.race(lock,
				func() *reply { return c.first(manager) },
				func() *reply { return manager.put("/rest/invoice-items/1", fields{"count": 2}) },
				func() *reply { return manager.delete("/rest/invoice-items/1") },
			)
			responses[0].wants(200)
			responses[1].rejected(c.later)
			responses[2].rejected(c.later)
		})
	}
}
