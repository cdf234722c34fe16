package api_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// A greedy caller holds slots and memory for as long as it can. The others are served.
//
// contract 1.89, 3.20, 3.36
func TestFairnessLeavesOtherCallersTheirShare(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the memory of all requests")
	s := start(t, func(c *bootstrap.Config) { c.MaxRequests, c.MaxConnections = 40, 32 })
	var modest []*caller
	for i := range 9 {
		name := fmt.Sprintf("modest%d", i)
		s.addUser(name, "Mo", "Dest", user.Viewer)
		modest = append(modest, s.as(name))
	}
	s.longTexts(250) // 15 MB
	slow := map[int]int{}
	for range 10 {
		l := s.dial(t)
		l.send("GET /rest/client?per_page=500 HTTP/1.1\r\nHost: kontor\r\nAuthorization: Bearer %s\r\n\r\n", s.tokens["viewer"])
		response := l.response()
		slow[response.StatusCode]++
		if response.StatusCode == http.StatusServiceUnavailable {
			body, _ := io.ReadAll(response.Body)
			t.Errorf("a slow read of the greedy caller: %s", body)
		}
	}
	if slow[http.StatusOK] != 1 || slow[http.StatusTooManyRequests] != 9 {
		t.Errorf("the slow reads of the greedy caller have the statuses %v", slow)
	}
	for _, m := range modest {
		m.get("/rest/client?per_page=500").wants(http.StatusOK)
	}

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

// A caller whose writes wait for a lock leaves connections to others.
//
// contract 1.89, 3.36
func TestFairnessOfWritesThatWaitForALock(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "the pool of its connections")
	s := startBilling(t, withMetrics, func(c *bootstrap.Config) { c.MaxRequests, c.MaxConnections = 40, 16 })
	s.as("admin").get("/rest/client/1").wants(http.StatusOK) // its token is known
	pool, release := s.holdLock("select 1 from clients where id = 1 for update")
	manager := s.as("manager")
	responses := make(chan *reply, 10)
	for range cap(responses) {
		go func() { responses <- manager.patch("/rest/client/1", fields{"description": "locked"}) }()
	}
	for pgtest.LockWaits(t, pool) < 6 || s.metrics()["kontor_http_requests_in_flight"] < 10 {
		time.Sleep(time.Millisecond)
	}
	s.as("admin").get("/rest/client/1").wants(http.StatusOK)
	s.as("admin").patch("/rest/client/2", fields{"name": "Bertha"}).wants(http.StatusOK)
	if n := pgtest.LockWaits(t, pool); n != 6 {
		t.Errorf("%d writes of one caller wait for the lock, want 6 of 8 connections", n)
	}
	release()
	for range cap(responses) {
		(<-responses).wants(http.StatusOK)
	}
}
