package api_test

import (
	"fmt"
	"sync"
	"sync/atomic"
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

// contract 10.76, 10.77, 10.84
func TestInvoiceConcurrentItemCreatesLoseNone(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	var lines []fields
	for i := range 20 {
		lines = append(lines, goods(fmt.Sprintf("old %d", i), 1, i))
	}
	manager.post("/rest/invoice", bill(fields{"items": lines})).wants(200)
	manager.post("/rest/invoice", bill(fields{"deal_id": 1})).wants(200)

	const writers, each = 12, 5
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				body := fields{"invoice_id": 1 + w%2, "name": fmt.Sprintf("new %d.%d", w, i), "count": fmt.Sprintf("%d.5", i), "price": fmt.Sprintf("0.%04d", w+1)}
				if r := manager.post("/rest/invoice-items", body); r.status != 200 {
					t.Errorf("adding: %d %s", r.status, r.body)
				}
			}
		})
	}
	for id := 1; id <= 10; id++ {
		writing.Go(func() {
			if r := manager.put(fmt.Sprintf("/rest/invoice-items/%d", id), fields{"price": "1.25"}); r.status != 200 {
				t.Errorf("changing: %d %s", r.status, r.body)
			}
		})
		writing.Go(func() {
			if r := manager.delete(fmt.Sprintf("/rest/invoice-items/%d", 10+id)); r.status != 200 {
				t.Errorf("removing: %d %s", r.status, r.body)
			}
		})
	}
	writing.Go(func() { manager.put("/rest/invoice/1", fields{"notice": "meanwhile"}) })
	var done atomic.Bool
	reading.Go(func() {
		for !done.Load() {
			// Concurrent reads are consistent as well.
			for _, record := range manager.get("/rest/invoice?expand=items").items() {
				addsUp(t, record, "20")
			}
		}
	})
	writing.Wait()
	done.Store(true)
	reading.Wait()

	for id, want := range map[int]struct{ lines, version int }{
		1: {10 + writers/2*each, 1 + 10 + 10 + 1 + writers/2*each},
		2: {writers / 2 * each, 1 + writers/2*each},
	} {
		r := manager.get(fmt.Sprintf("/rest/invoice/%d?expand=items", id))
		record := r.record()
		addsUp(t, record, "20")
		if got := len(record["items"].([]any)); got != want.lines {
			t.Errorf("invoice %d has %d lines, want %d", id, got, want.lines)
		}
		if n := s.count("invoices", fmt.Sprintf("id = %d and version = %d", id, want.version)); n != 1 {
			t.Errorf("invoice %d: the tag %s does not count %d changes", id, r.header.Get("ETag"), want.version-1)
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
