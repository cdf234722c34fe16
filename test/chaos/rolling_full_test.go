//go:build full

package chaos_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
)

// rollingRestart has a drain delay in which haproxy notices that an instance is not ready.
func rollingRestart(t *testing.T) chaos.RollingRestart {
	t.Helper()
	return chaos.RollingRestart{Clients: 6, Restarts: 10, Drain: 5 * time.Second, Page: "../../docs/operations.md", Folder: t.TempDir()}
}

// contract 1.18, 1.35, 1.19
func TestRollingRestartBehindProxyLosesNoRequest(t *testing.T) {
	s := open(t)
	v, err := rollingRestart(t).Run(t.Context(), s)
	t.Logf("\n%s", v)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Failed) > 0 {
		t.Errorf("%d failed, such as\n%s", len(v.Failed), strings.Join(v.Failed[:min(len(v.Failed), 10)], "\n"))
	}
	if v.Requests < 100*v.Restarts {
		t.Errorf("there were %d requests in %d restarts: too few to show anything", v.Requests, v.Restarts)
	}
	db := connect(t, s)
	var stored int
	if err := db.QueryRow(t.Context(), "select count(*) from clients").Scan(&stored); err != nil || stored != len(v.Created) {
		t.Errorf("%v; of %d created records %d are stored", err, len(v.Created), stored)
	}
}

// Without a delay a proxy sends requests to a stopped instance until its next
// health check.
func TestRollingRestartWithoutDrainDelayIsDetected(t *testing.T) {
	s := open(t)
	h := rollingRestart(t)
	h.Drain, h.Restarts = 0, 1
	for range 5 {
		v, err := h.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Failed) > 0 {
			t.Logf("failed: %d, such as %s", len(v.Failed), v.Failed[0])
			return
		}
	}
	t.Error("nothing failed")
}
