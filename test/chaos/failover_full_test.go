//go:build full

package chaos_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/failover"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// resumeTime is how long after the promotion the first write has to succeed.
const resumeTime = 5 * time.Second

func newClient(name string) failover.Fields {
	return failover.Fields{"type": 1, "name": name}
}

func send(t *testing.T, token, method, url string, record any, headers ...string) rest.Response {
	t.Helper()
	r, err := rest.Client{Token: token}.Send(t.Context(), method, url, record, headers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// must is the response to a request that succeeds.
func must(t *testing.T, token, method, url string, record any, headers ...string) rest.Response {
	t.Helper()
	r := send(t, token, method, url, record, headers...)
	if !r.IsOK() {
		t.Fatalf("%s %s: %d %s", method, url, r.Status, r.Body)
	}
	return r
}

// The primary crashes while clients are written, and its synchronous replica is promoted; the other
// one follows it.
//
// Then the former primary comes back as one, and the connections of the service break.
//
// contract 13.35, 13.36
func TestFailoverLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	primary := failover.NewPrimary(t)
	second, third := primary.NewReplica("second"), primary.NewReplica("third")
	primary.Set("synchronous_standby_names", "second")
	primary.Await("the second server is synchronous", func(ctx context.Context) bool {
		return primary.Is(ctx, "select from pg_stat_replication where application_name = 'second' and sync_state = 'sync'")
	})
	i := failover.Instance(t, failover.AllURLs(primary, second, third))
	token := testserver.Token(t, i.Service, "writer", user.Manager)

	ctx, stop := context.WithCancel(t.Context())
	var written []rest.Response
	var last time.Time
	write := func() bool {
		r, err := rest.Client{URL: i.URL, Token: token}.Send(ctx, http.MethodPost, "/rest/client", newClient("Nordwind"))
		if err != nil || !r.IsOK() {
			return false
		}
		written, last = append(written, r), time.Now()
		return true
	}
	writing := make(chan struct{})
	crashed := time.AfterFunc(time.Second, primary.Crash)
	go func() {
		defer close(writing)
		for write() {
		}
	}()
	<-writing
	crashed.Stop()
	promoted := time.Now()
	second.Promote()
	second.Await("writes succeed", func(context.Context) bool { return write() })
	if took := last.Sub(promoted); took > resumeTime {
		t.Errorf("the first write succeeds %s after the promotion", took)
	}
	third.Crash()
	third.Follow(second, "third")
	third.Start()
	acknowledged := len(written)
	primary.Start()
	second.Exec("postgres", "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'kontor' and application_name = 'kontor'")
	for len(written) < acknowledged+20 {
		second.Await("a write succeeds", func(context.Context) bool { return write() })
	}
	for _, r := range written {
		must(t, token, http.MethodGet, r.Header.Get("Location"), nil)
	}
	if second.Is(ctx, "select from clients having count(*) < "+strconv.Itoa(len(written))) {
		t.Error("the former primary has stored writes")
	}
	stop()
}

// PostgreSQL commits such a write on the primary alone when its statement is cancelled, with a warning.
//
// contract 13.35
func TestWriteWithoutItsSynchronousReplicaHasUnknownOutcome(t *testing.T) {
	t.Parallel()
	primary := failover.NewPrimary(t)
	replica := primary.NewReplica("second")
	primary.Set("synchronous_standby_names", "second")
	i := failover.Instance(t, primary.URL(), func(c *bootstrap.Config) {
		c.StatementTimeout, c.RequestTimeout = time.Second, 1500*time.Millisecond
	})
	token := testserver.Token(t, i.Service, "writer", user.Manager)
	reader := testserver.Token(t, i.Service, "reader", user.Manager)
	path := must(t, token, http.MethodPost, i.URL+"/rest/client", newClient("Nordwind")).Header.Get("Location")
	replica.Crash()
	for _, write := range []struct{ method, url, key string }{
		{http.MethodPost, i.URL + "/rest/client", "k"}, {http.MethodPost, i.URL + "/rest/client", "k"},
		{http.MethodPost, i.URL + "/rest/client", ""}, {http.MethodPatch, path, ""}, {http.MethodDelete, path, ""},
	} {
		var headers []string
		if write.key != "" {
			headers = []string{"Idempotency-Key", write.key}
		}
		r := send(t, token, write.method, write.url, newClient("Südwind"), headers...)
		if r.Status != http.StatusServiceUnavailable || !strings.Contains(string(r.Body), "urn:kontor:outcome-unknown") {
			t.Errorf("%s with the key %q: %d %v %s", write.method, write.key, r.Status, r.Header["Idempotent-Replayed"], r.Body)
		}
	}
	must(t, reader, http.MethodGet, i.URL+"/rest/client", nil) // the first use of the token
	replica.Start()
	replica.Await("the first write is confirmed", func(context.Context) bool {
		r := send(t, token, http.MethodPost, i.URL+"/rest/client", newClient("Südwind"), "Idempotency-Key", "k")
		if r.IsOK() && r.Header.Get("Idempotent-Replayed") == "" {
			t.Errorf("it is stored twice: %s", r.Body)
		}
		return r.IsOK()
	})
}
