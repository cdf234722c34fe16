package replicas_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/replicas"
	"github.com/kontor-crm/kontor/test/testserver"
)

// resumeTime is how long after the promotion the first write has to succeed.
const resumeTime = 5 * time.Second

// The primary crashes while callers write, and the replica with the most changes is promoted; the
// other one follows it.
//
// contract 13.14, 13.35, 13.36
func TestFailoverLosesNoAcknowledgedWrite(t *testing.T) {
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
	s := newSite(t, replicas.AllURLs(primary, second, third), []*replicas.Server{second, third}, callers)
	third.Set("recovery_min_apply_delay", "100ms")
	stop := s.callers.Start(2)
	s.callers.Await(operations)
	primary.Crash()
	time.Sleep(100 * time.Millisecond) // until somebody notices
	before, _ := s.callers.Written()
	next, follower := second, third
	if third.Received() > second.Received() { // it cannot follow a server that lacks what it has
		next, follower = third, second
	}
	promoted := time.Now()
	next.Promote()
	next.Await("writes succeed", func(context.Context) bool {
		n, _ := s.callers.Written()
		return n > before
	})
	if took := time.Since(promoted); took > resumeTime {
		t.Errorf("the first write succeeds %s after the promotion", took)
	}
	follower.Follow(next, "follower")
	follower.Crash()
	follower.Start()
	for _, i := range s.instances {
		awaitUse(t, i, next, 0)
		awaitUse(t, i, follower, 1)
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

// PostgreSQL commits such a write on the primary alone when its statement is cancelled, with a warning.
//
// contract 13.35
func TestWriteWithoutItsSynchronousReplicaHasUnknownOutcome(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	replica := primary.NewReplica("second")
	primary.Set("synchronous_standby_names", "second")
	i := replicas.Instance(t, primary.URL(), nil, func(c *bootstrap.Config) {
		c.StatementTimeout, c.RequestTimeout = time.Second, 1500*time.Millisecond
	})
	token := testserver.Token(t, i.Service, "writer", user.Manager)
	reader := testserver.Token(t, i.Service, "reader", user.Manager)
	path := must(t, token, http.MethodPost, i.URL+"/rest/client", client("Nordwind")).Header.Get("Location")
	replica.Crash()
	for _, write := range []struct{ method, url, key string }{
		{http.MethodPost, i.URL + "/rest/client", "k"}, {http.MethodPost, i.URL + "/rest/client", "k"},
		{http.MethodPost, i.URL + "/rest/client", ""}, {http.MethodPatch, path, ""}, {http.MethodDelete, path, ""},
	} {
		var headers []string
		if write.key != "" {
			headers = []string{"Idempotency-Key", write.key}
		}
		r := send(t, token, write.method, write.url, client("Südwind"), headers...)
		if r.Status != http.StatusServiceUnavailable || !strings.Contains(string(r.Body), "urn:kontor:outcome-unknown") {
			t.Errorf("%s with the key %q: %d %v %s", write.method, write.key, r.Status, r.Header["Idempotent-Replayed"], r.Body)
		}
	}
	must(t, reader, http.MethodGet, i.URL+"/rest/client", nil) // the first use of the token
	replica.Start()
	replica.Await("the first write is confirmed", func(context.Context) bool {
		r := send(t, token, http.MethodPost, i.URL+"/rest/client", client("Südwind"), "Idempotency-Key", "k")
		if r.IsOK() && r.Header.Get("Idempotent-Replayed") == "" {
			t.Errorf("it is stored twice: %s", r.Body)
		}
		return r.IsOK()
	})
}
