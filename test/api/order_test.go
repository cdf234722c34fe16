package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// rush sends the requests at the same moment, in this order: the rows that lock
// selects are kept until each request has come as far as it can. The answers
// are in the order of the requests.
func (s *service) rush(lock string, requests ...func() *reply) []*reply {
	s.t.Helper()
	pool := pgtest.Pool(s.t, s.database)
	tx, err := pool.Begin(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := tx.Exec(s.t.Context(), lock); err != nil {
		s.t.Fatal(err)
	}
	answers := make([]*reply, len(requests))
	done := make(chan struct{}, len(requests))
	for i, request := range requests {
		go func() {
			answers[i] = request()
			done <- struct{}{}
		}()
		for len(done)+waiting(s.t, pool) < i+1 {
			time.Sleep(time.Millisecond)
		}
	}
	if err := tx.Rollback(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	for range requests {
		<-done
	}
	return answers
}

// waiting is how many connections wait for a lock in the database of the pool.
func waiting(t testing.TB, pool *pgxpool.Pool) (n int) {
	t.Helper()
	err := pool.QueryRow(t.Context(), `
select count(*)
from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock'`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// contract 9.32, 3.15, 3.19
func TestADealAndTheDeletionOfItsClientEndInOneOrder(t *testing.T) {
	const lock = "select id from clients where id = 1 for update"
	t.Run("deletion first", func(t *testing.T) {
		s := startDealing(t)
		manager := s.as("manager")
		answers := s.rush(lock,
			func() *reply { return manager.delete("/rest/client/1") },
			func() *reply { return manager.post("/rest/deal", fields{"name": "x", "client_id": 1}) })
		answers[0].wants(200)
		if got := answers[1].blames(); !cmp.Equal(got, []string{"client_id"}) {
			t.Errorf("the deal blames %v", got)
		}
		if n := s.count("deals", "true") + s.count("deal_history", "true"); n != 0 {
			t.Errorf("%d rows of the refused deal are there", n)
		}
	})
	t.Run("deal first", func(t *testing.T) {
		s := startDealing(t)
		manager := s.as("manager")
		answers := s.rush(lock,
			func() *reply { return manager.post("/rest/deal", fields{"name": "x", "client_id": 1}) },
			func() *reply { return manager.delete("/rest/client/1") })
		answers[0].wants(200)
		answers[1].refused(409)
		manager.get("/rest/client/1").wants(200)
	})
}

// contract 7.16, 8.4, 8.13
func TestAContactIsNotLeftBehindOnADealThatGetsItsClient(t *testing.T) {
	for _, first := range []string{"contact", "client"} {
		t.Run(first+" first", func(t *testing.T) {
			s := startDealing(t)
			manager := s.as("manager")
			manager.post("/rest/deal", fields{"name": "x"}).wants(200)
			requests := []func() *reply{
				func() *reply { return manager.post("/rest/contact", fields{"name": "a", "deal_id": 1}) },
				func() *reply { return manager.put("/rest/deal/1", fields{"client_id": 2}) },
			}
			if first == "client" {
				requests[0], requests[1] = requests[1], requests[0]
			}
			for _, answer := range s.rush("select id from deals where id = 1 for update", requests...) {
				answer.wants(200)
			}
			for _, list := range []string{"client_id=2", "deal_id=1"} {
				if got := manager.get("/rest/contact?" + list).column("name"); !cmp.Equal(got, []string{"a"}) {
					t.Errorf("%s: got %v", list, got)
				}
			}
			if n := s.count("contacts", "deal_id is not null"); n != 0 {
				t.Errorf("%d contacts are still linked to the deal", n)
			}
		})
	}
}

// contract 7.19, 8.13: deleting a deal takes the contact that came just before,
// and refuses the one that comes just after.
func TestAContactAndTheDeletionOfItsDealEndInOneOrder(t *testing.T) {
	for _, first := range []string{"contact", "deletion"} {
		t.Run(first+" first", func(t *testing.T) {
			s := startDealing(t)
			manager := s.as("manager")
			manager.post("/rest/deal", fields{"name": "x"}).wants(200)
			create := func() *reply { return manager.post("/rest/contact", fields{"name": "a", "deal_id": 1}) }
			remove := func() *reply { return manager.delete("/rest/deal/1") }
			const lock = "select id from deals where id = 1 for update"
			if first == "contact" {
				answers := s.rush(lock, create, remove)
				answers[0].wants(200)
				answers[1].wants(200)
			} else {
				answers := s.rush(lock, remove, create)
				answers[0].wants(200)
				if got := answers[1].blames(); !cmp.Equal(got, []string{"deal_id"}) {
					t.Errorf("the contact blames %v", got)
				}
			}
			if n := s.count("contacts", "true"); n != 0 {
				t.Errorf("%d contacts are left", n)
			}
		})
	}
}

// contract 7.17, 10.46: whoever comes first decides whose the deal is.
func TestAnInvoiceAndTheMoveOfItsDealEndInOneOrder(t *testing.T) {
	const lock = "select id from deals where id = 1 for update"
	for _, first := range []string{"invoice", "move"} {
		t.Run(first+" first", func(t *testing.T) {
			s := startBilling(t)
			manager := s.as("manager")
			manager.post("/rest/deal", fields{"name": "x", "client_id": 1}).wants(200)
			issue := func() *reply { return manager.post("/rest/invoice", bill(fields{"deal_id": 1})) }
			move := func() *reply { return manager.put("/rest/deal/1", fields{"client_id": 2}) }
			owner := "1"
			if first == "invoice" {
				answers := s.rush(lock, issue, move)
				answers[0].wants(200)
				answers[1].refused(409)
			} else {
				answers := s.rush(lock, move, issue)
				answers[0].wants(200)
				answers[1].refused(422)
				owner = "2"
			}
			if got := text(manager.get("/rest/deal/1").record()["client_id"]); got != owner {
				t.Errorf("the deal belongs to client %s", got)
			}
			if n := s.count("deal_history", "true"); n != 1+s.count("invoices", "true") {
				t.Errorf("the history has %d entries", n)
			}
		})
	}
}

// contract 3.15: a writer of a deal and the deletion of what the deal refers to
// do not wait for each other. If they did, the writer would be the one to start
// again, and its contact would have another id.
func TestDeletingTheClientOfABusyDealIsRefusedAtOnce(t *testing.T) {
	s := startDealing(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "x", "client_id": 1}).wants(200)
	manager.post("/rest/contact", fields{"name": "a", "client_id": 1}).wants(200)
	// The deletion holds the client and waits for its contact; then comes a
	// second contact, which holds the deal and waits for the client.
	answers := s.rush("select id from contacts where id = 1 for update",
		func() *reply { return manager.delete("/rest/client/1") },
		func() *reply { return manager.post("/rest/contact", fields{"name": "b", "deal_id": 1}) })
	answers[0].refused(409)
	if got := answers[1].id(); got != "2" {
		t.Errorf("the second contact has the id %s", got)
	}
}

// contract 7.16
func TestManyRacesForADealLeaveNoContactBehind(t *testing.T) {
	s := startDealing(t)
	manager := s.as("manager")
	for round := range 20 {
		id := manager.post("/rest/deal", fields{"name": fmt.Sprint(round)}).id()
		done := make(chan *reply, 3)
		go func() { done <- manager.put("/rest/deal/"+id, fields{"client_id": 2}) }()
		for range 2 {
			go func() { done <- manager.post("/rest/contact", fields{"name": "a", "deal_id": id}) }()
		}
		for range 3 {
			(<-done).wants(200)
		}
	}
	if n := s.count("contacts", "client_id = 2"); n != 40 {
		t.Errorf("%d of 40 contacts are linked to the client", n)
	}
}
