package replicas_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/testserver"
)

// resumeTime is how long after the promotion the first write has to succeed.
const resumeTime = 5 * time.Second

// The primary crashes while callers write, and its synchronous replica is promoted; the other
// replica and then the former primary follow it.
//
// contract 13.14, 13.35, 13.36
func TestFailoverLosesNoAnsweredWrite(t *testing.T) {
	t.Parallel()
	failover(t, 6, 60)
}

func failover(t *testing.T, callers, operations int) {
	t.Helper()
	primary := replicas.NewPrimary(t)
	second, third := primary.NewReplica("second"), primary.NewReplica("third")
	primary.Set("synchronous_standby_names", "second")
	primary.Await("the second server is synchronous", func(ctx context.Context) bool {
		return primary.Is(ctx, "select from pg_stat_replication where application_name = 'second' and sync_state = 'sync'")
	})
	s := newSite(t, primary, replicas.AllURLs(primary, second), []*replicas.Server{second, third}, callers)
	third.Set("recovery_min_apply_delay", "100ms")
	stop := s.callers.Start(2)
	s.callers.Await(operations)
	primary.Crash()
	time.Sleep(100 * time.Millisecond) // until somebody notices
	before, _ := s.callers.Written()
	promoted := time.Now()
	second.Promote()
	second.Await("writes succeed", func(context.Context) bool {
		n, _ := s.callers.Written()
		return n > before
	})
	if took := time.Since(promoted); took > resumeTime {
		t.Errorf("the first write succeeds %s after the promotion", took)
	}
	third.Follow(second, "third")
	third.Crash()
	third.Start()
	for _, i := range s.instances {
		awaitUse(t, i, second, 0)
		awaitUse(t, i, third, 1)
	}
	s.callers.Await(operations)
	_, failed := s.callers.History()
	s.check(t, stop, len(failed))
	s.hasAllWritten(t)
}

// hasAllWritten checks that every record and every figure of answered writes is there.
func (s *site) hasAllWritten(t *testing.T) {
	t.Helper()
	for _, missing := range first(s.callers.Missing(t.Context())) {
		t.Error(missing)
	}
}

// contract 13.14
func TestPositionsThatAreLostInACrashAreReplacedByOneForAllTokens(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("one")
	i := replicas.Instance(t, primary.URL(), []*replicas.Server{replica})
	writer := testserver.Token(t, i.Service, "writer", user.Manager)
	awaitUse(t, i, replica, 1)
	resume := pause(replica)
	created := must(t, writer, http.MethodPost, i.URL+"/rest/client", client("Nordwind"))
	primary.Crash()
	primary.Start()
	if primary.Is(t.Context(), "select from token_positions where token_id > 0") {
		t.Fatal("the positions are not lost")
	}
	replica.Await("requests are served again", func(context.Context) bool {
		r := send(t, writer, http.MethodGet, created.Header.Get("Location"), nil)
		if r.Status == http.StatusNotFound {
			t.Fatal("what was written is not seen")
		}
		return r.IsOK()
	})
	if list := must(t, writer, http.MethodGet, i.URL+"/rest/client", nil); !strings.Contains(string(list.Body), "Nordwind") {
		t.Errorf("the list lacks what was written: %s", list.Body)
	}
	resume()
}
