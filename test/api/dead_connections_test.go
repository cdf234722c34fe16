package api_test

import (
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
)

// contract 3.31
func TestDeadDatabaseConnectionsAreReplacedTransparently(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.addUser("late", "La", "Te", user.Viewer)
	admin := s.as("admin")
	client := "/rest/client/" + admin.post("/rest/client", fields{"type": 1, "name": "A"}).wants(200).id()
	for _, request := range []func(){
		func() { admin.get("/rest/client?count_deals=1").wants(200) },
		func() { admin.get(client).wants(200) },
		func() { admin.put(client, fields{"name": "B"}).wants(200) },
		func() { admin.post("/rest/client", fields{"type": 1, "name": "C"}).wants(200) },
		func() { s.as("late").get("/rest/client").wants(200) }, // whose token is not cached
		func() { admin.delete(client).wants(200) },
	} {
		var warming sync.WaitGroup
		for range 16 {
			warming.Go(func() { s.as("admin").get("/rest/client").wants(200) })
		}
		warming.Wait()
		const connections = "datname = current_database() and application_name = 'kontor'"
		s.execute("select pg_terminate_backend(pid) from pg_stat_activity where " + connections)
		for s.count("pg_stat_activity", connections) > 0 {
			time.Sleep(time.Millisecond)
		}
		request()
	}
	if got := admin.get("/rest/client?fields=name").wants(200).column("name"); len(got) != 1 || got[0] != "C" {
		t.Errorf("there are the clients %v", got)
	}
}

// contract 3.31
func TestReadWhoseStatementIsCanceledIsRepeated(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the sessions that wait for a lock on Citus")
	s := start(t)
	s.as("manager").post("/rest/client", fields{"name": "Acme", "type": 1}).wants(200)
	for _, path := range []string{"/rest/client", "/rest/client/1"} {
		s.as("viewer").get(path).wants(200)
		_, release := s.holdLock("lock table clients in access exclusive mode")
		response := make(chan *reply)
		go func() { response <- s.as("viewer").get(path) }()
		const cancel = "case when datname = current_database() and wait_event_type = 'Lock' then pg_cancel_backend(pid) end"
		for s.count("pg_stat_activity", cancel) == 0 {
			time.Sleep(time.Millisecond)
		}
		release()
		(<-response).wants(200)
	}
}
