//go:build full

package chaos_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/chaos"
)

// detectSoon has PostgreSQL detect deadlocks early, so that there are many.
var detectSoon = map[string]string{"deadlock_timeout": chaos.DeadlockTimeout.String()}

func TestContentionNeverReturnsDeadlockError(t *testing.T) {
	r, err := chaos.Contention{Rounds: 60, Seed: uint64(time.Now().UnixNano())}.Run(t.Context(), open(t, detectSoon))
	t.Logf("\n%s%v", r, r.Statuses)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failed) > 0 {
		t.Errorf("%d failed:\n%s", len(r.Failed), strings.Join(r.Failed[:min(len(r.Failed), 10)], "\n"))
	}
	if r.Statuses[http.StatusOK] < r.Scenarios || r.Statuses[http.StatusConflict] == 0 {
		t.Errorf("the responses are %v: too few to show anything", r.Statuses)
	}
	if r.Inconsistent != "" {
		t.Error(r.Inconsistent)
	}
}

// Without retries, a deadlock becomes a 503.
func TestMissingDeadlockRetryIsDetected(t *testing.T) {
	broken := buildBroken(t, noDeadlockRetry)
	r, err := chaos.ForceDeadlock(t.Context(), openProgram(t, broken, detectSoon))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s%s", r, strings.Join(r.Failed, "\n"))
	if r.Statuses[http.StatusServiceUnavailable] != 1 || len(r.Failed) != 1 {
		t.Errorf("it is not: the responses are %v", r.Statuses)
	}
}
