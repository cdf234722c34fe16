package api_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 9.32, 3.15
func TestDealCreateRacingClientDeleteIsSerialized(t *testing.T) {
	t.Parallel()
	t.Run("deletion first", func(t *testing.T) {
		s := startDealing(t)
		manager, another := s.as("manager"), s.again(t).as("manager")
		manager.post("/rest/contact", fields{"name": "a", "client_id": 1}).wants(200)
		// The deletion holds the client and waits for its contact.
		responses := s.race("select id from contacts where id = 1 for update",
			func() *reply { return manager.delete("/rest/client/1") },
			func() *reply { return another.post("/rest/deal", fields{"name": "x", "client_id": 1}) })
		responses[0].wants(200)
		if got := responses[1].wrongFields(); !cmp.Equal(got, []string{"client_id"}) {
			t.Errorf("the wrong fields of the deal are %v", got)
		}
		if n := s.count("deals", "true") + s.count("deal_history", "true"); n != 0 {
			t.Errorf("%d rows of the rejected deal were stored", n)
		}
	})
	t.Run("deal first", func(t *testing.T) {
		s := startDealing(t)
		manager, another := s.as("manager"), s.again(t).as("manager")
		responses := s.race("select id from clients where id = 1 for update",
			func() *reply { return manager.post("/rest/deal", fields{"name": "x", "client_id": 1}) },
			func() *reply { return another.delete("/rest/client/1") })
		responses[0].wants(200)
		responses[1].rejected(409)
		manager.get("/rest/client/1").wants(200)
	})
}

// contract 3.15: a write of a deal and the deletion of a record it refers to do not
// deadlock. Otherwise the write would be retried, and its contact would have another id.
func TestClientDeleteWithLockedDealIsRejectedAtOnce(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	manager, another := s.as("manager"), s.again(t).as("manager")
	manager.post("/rest/deal", fields{"name": "x", "client_id": 1}).wants(200)
	manager.post("/rest/contact", fields{"name": "a", "client_id": 1}).wants(200)
	// The deletion holds the client and waits for its contact; then comes a
	// second contact, which holds the deal and waits for the client.
	responses := s.race("select id from contacts where id = 1 for update",
		func() *reply { return manager.delete("/rest/client/1") },
		func() *reply { return another.post("/rest/contact", fields{"name": "b", "deal_id": 1}) })
	responses[0].rejected(409)
	if got := responses[1].id(); got != "2" {
		t.Errorf("the second contact has the id %s", got)
	}
}

// contract 7.17, 10.46, 10.50: in any order, a deal has the client of all its invoices.
func TestDealAndInvoiceClientAgreeUnderRaces(t *testing.T) {
	t.Parallel()
	for first := range 3 {
		s := startBilling(t)
		manager, second, third := s.as("manager"), s.again(t).as("manager"), s.again(t).as("manager")
		manager.post("/rest/deal", fields{"name": "x"}).wants(200)
		requests := []func() *reply{
			func() *reply { return manager.post("/rest/invoice", bill(fields{"deal_id": 1})) },
			func() *reply { return second.post("/rest/invoice", bill(fields{"deal_id": 1, "client_id": 2})) },
			func() *reply { return third.put("/rest/deal/1", fields{"client_id": 2}) },
		}
		s.race("select id from deals where id = 1 for update", append(requests[first:], requests[:first]...)...)
		if n := s.count("invoices i join deals d on d.id = i.deal_id", "d.client_id = i.client_id"); n != 1 {
			t.Errorf("%d invoices are in the deal, want 1", n)
		}
		if n := s.count("deal_history", "invoice_id is not null"); n != 1 {
			t.Errorf("%d entries of the history name an invoice", n)
		}
	}
}
