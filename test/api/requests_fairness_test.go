package api_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// A greedy caller holds slots for as long as it can. The others are served.
//
// contract 3.36, 3.20
func TestFairnessLeavesOtherCallersTheirShare(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *bootstrap.Config) { c.MaxRequests, c.MaxConnections = 40, 32 })
	var modest []*caller
	for i := range 9 {
		name := fmt.Sprintf("modest%d", i)
		s.addUser(name, "Mo", "Dest", user.Viewer)
		modest = append(modest, s.as(name))
	}
	s.as("admin").post("/rest/client", fields{"name": "Acme", "type": 1}).wants(http.StatusOK)
	pool, release := s.holdLock("lock table deals in access exclusive mode")
	responses := make(chan *reply, 40)
	for range cap(responses) {
		go func() { responses <- s.as("viewer").get("/rest/deal") }()
	}
	for range 30 {
		rejected := <-responses
		rejected.rejected(http.StatusTooManyRequests)
		if rejected.header.Get("Retry-After") != "1" {
			t.Errorf("a rejected request has the header %v", rejected.header)
		}
	}
	for pgtest.LockWaits(t, pool) < 10 {
		time.Sleep(time.Millisecond)
	}
	var others sync.WaitGroup
	for _, m := range modest {
		others.Go(func() {
			for range 10 {
				m.get("/rest/client/1").wants(http.StatusOK)
			}
		})
	}
	others.Wait()
	release()
	for range 10 {
		(<-responses).wants(http.StatusOK)
	}
	s.as("viewer").get("/rest/deal").wants(http.StatusOK)
}
