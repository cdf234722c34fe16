//go:build full

package chaos_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
)

// rollingRestart uses the haproxy that KONTOR_CHAOS_PROXY names, or the package's
// own proxy, each with a drain delay in which it notices that an instance is not
// ready.
func rollingRestart(t *testing.T) chaos.RollingRestart {
	t.Helper()
	h := chaos.RollingRestart{Clients: 6, Restarts: 10}
	name := os.Getenv("KONTOR_CHAOS_PROXY")
	if name == "" {
		h.Drain = 2 * time.Second
		h.Proxy = func(ctx context.Context, a, b string) (chaos.Proxy, error) {
			return chaos.Forward(ctx, 100*time.Millisecond, a, b), nil
		}
		return h
	}
	file, err := exec.LookPath(name)
	if err != nil {
		t.Fatal("haproxy is missing: install the package haproxy")
	}
	folder := t.TempDir()
	h.Drain = 5 * time.Second
	h.Proxy = func(ctx context.Context, a, b string) (chaos.Proxy, error) {
		return chaos.HAProxy(ctx, file, "../../docs/operations.md", folder, a, b)
	}
	return h
}

// contract 1.18, 1.35, 1.71
func TestRollingRestartBehindProxyLosesNoRequest(t *testing.T) {
	s := open(t, nil)
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
	s := open(t, nil)
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
