//go:build full

package citus_test

import (
	"net/http"
	"testing"
	"time"
)

// ofServices are the connections of services to the database of a node.
const ofServices = "datname = current_database() and application_name = 'kontor'"

const connections = "select count(*) from pg_stat_activity where " + ofServices

// A move that is not Kontor's own is noticed too.
func TestCompanyIsServedByConnectionsToItsWorker(t *testing.T) {
	c, url, offices := serveShared(t, 1)
	bakery := offices[0]
	ask := func() {
		t.Helper()
		if status, text := bakery.send(http.MethodGet, "/rest/client", ""); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	ask()
	if n := column[int64](t, c.Nodes[1].URL(shared.database), connections)[0]; n == 0 {
		t.Error("the worker with the companies has no connection of the service")
	}
	if n := column[int64](t, c.Nodes[2].URL(shared.database), connections)[0]; n != 0 {
		t.Errorf("the worker without companies has %d connections of the service", n)
	}
	moveAtOnce(t, c, url, bakery.code, 2)
	for range 200 { // 2 s, and what a busy machine takes
		ask()
		if column[int64](t, c.Nodes[2].URL(shared.database), connections)[0] > 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the company is not served by the worker that it was moved to")
}
