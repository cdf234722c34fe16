//go:build full

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
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// resumeTime is how long after the promotion the first write has to succeed.
const resumeTime = 5 * time.Second

// The primary crashes while clients are written, and its synchronous replica is promoted; the other
// one follows it.
//
// contract 13.35, 13.36
func TestFailoverLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	primary := replicas.NewPrimary(t)
	second, third := primary.NewReplica("second"), primary.NewReplica("third")
	primary.Set("synchronous_standby_names", "second")
	primary.Await("the second server is synchronous", func(ctx context.Context) bool {
		return primary.Is(ctx, "select from pg_stat_replication where application_name = 'second' and sync_state = 'sync'")
	})
	i := replicas.Instance(t, replicas.AllURLs(primary, second, third), []*replicas.Server{primary, second, third})
	token := testserver.Token(t, i.Service, "writer", user.Manager)
	awaitUse(t, i, second, 1)
	awaitUse(t, i, third, 1)

	ctx, stop := context.WithCancel(t.Context())
	var written []rest.Response
	var last time.Time
	write := func() bool {
		r, err := rest.Client{URL: i.URL, Token: token}.Send(ctx, http.MethodPost, "/rest/client", client("Nordwind"))
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
	awaitUse(t, i, second, 0)
	awaitUse(t, i, third, 1)
	for _, r := range written {
		must(t, token, http.MethodGet, r.Header.Get("Location"), nil)
	}
	served(t, i, third, token, written[0].Header.Get("Location"), positionOf(t, written[0]))
	served(t, i, third, token, written[len(written)-1].Header.Get("Location"), positionOf(t, written[len(written)-1]))
	stop()
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
