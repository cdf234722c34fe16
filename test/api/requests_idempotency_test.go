package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// withKey returns the caller with the Idempotency-Key.
func (c *caller) withKey(key string) *caller { return c.with("Idempotency-Key", key) }

// isReplayed reports whether the response says that it is replayed.
func (r *reply) isReplayed() bool { return r.header.Get("Idempotent-Replayed") == "true" }

// replays checks that the response equals the first one, byte by byte, and says that
// it is replayed.
func (r *reply) replays(first *reply) {
	r.t.Helper()
	kept := func(r *reply) map[string]string {
		all := map[string]string{"status": fmt.Sprint(r.status), "body": r.body}
		for _, name := range []string{"Location", "Content-Type", "ETag", "Content-Length"} {
			all[name] = r.header.Get(name)
		}
		return all
	}
	if diff := cmp.Diff(kept(first), kept(r)); diff != "" {
		r.t.Errorf("%s: -first +repeated\n%s", r.what, diff)
	}
	if !r.isReplayed() || first.isReplayed() {
		r.t.Errorf("%s: the first is marked %v, the repeated one %v", r.what, first.isReplayed(), r.isReplayed())
	}
}

// contract 4.61
func TestIdempotencyKeyReplaysFirstResponse(t *testing.T) {
	t.Parallel()
	b := startWithSamples(t)
	admin := b.as("admin")
	for path, body := range samples {
		t.Run(path, func(t *testing.T) {
			table := tableOf[path]
			first := admin.withKey("k-1").post(path+"?_format=xml", body).wants(http.StatusOK)
			before := b.count(table, "true")
			admin.withKey("k-1").post(path+"/?_format=json&fields=id", body).replays(first)
			if got := b.count(table, "true"); got != before {
				t.Errorf("%s has %d rows after the second request and %d before it", table, got, before)
			}
			if got := admin.withKey("k-2").post(path, another(body)).wants(http.StatusOK); got.isReplayed() || got.header.Get("Location") == first.header.Get("Location") {
				t.Errorf("another key gets the same record: %v", got.header)
			}
		})
	}
}

// contract 4.64
func TestIdempotencyKeySecondCreationWaitsForFirst(t *testing.T) {
	t.Parallel()
	s := start(t)
	hurried := s.again(t, func(c *bootstrap.Config) { c.LockTimeout = 50 * time.Millisecond })
	create := func(s *service) *reply {
		return s.as("manager").withKey("k").post("/rest/client", fields{"name": "Anna", "type": 2})
	}
	pool, release := s.holdLock(`
insert into idempotency_keys (user_id, path, key, fingerprint, claimed_at)
values (2, '/rest/client', 'k', sha256(''), now())`)
	if p := create(hurried).rejected(http.StatusConflict); !strings.Contains(p.Detail, "Idempotency-Key") {
		t.Errorf("the detail after the lock timeout is %q", p.Detail)
	}
	second := make(chan *reply)
	patient := s.again(t)
	go func() { second <- create(patient) }()
	for pgtest.LockWaits(t, pool) == 0 {
		time.Sleep(time.Millisecond)
	}
	release()
	if got := (<-second).wants(http.StatusOK); got.isReplayed() {
		t.Error("the waiting request got a replayed response")
	}
	if n := s.count("clients", "true"); n != 1 {
		t.Errorf("there are %d clients", n)
	}
}

// contract 3.24, 4.61, 4.62
func TestIdempotencyKeyResolvesUnknownOutcome(t *testing.T) {
	t.Parallel()
	s, proxy := serveThroughProxy(t)
	s.addUser("admin", "Ada", "Min", user.Admin)
	proxy.CutAfterCommit(func() bool { return true })
	body := fields{"name": "Anna", "type": 2}
	lost := s.as("admin").withKey("k").post("/rest/client", body)
	p := lost.rejected(http.StatusServiceUnavailable)
	if p.Type != "urn:kontor:outcome-unknown" || !strings.Contains(p.Detail, "Idempotency-Key") || lost.header.Get("Retry-After") == "" {
		t.Errorf("the problem is %+v, Retry-After %q", p, lost.header.Get("Retry-After"))
	}
	proxy.FromServer.Store(nil)
	again := s.as("admin").withKey("k").post("/rest/client", body).wants(http.StatusOK)
	if !again.isReplayed() || again.record()["name"] != "Anna" {
		t.Errorf("the repeated request returned %v %s", again.header, again.body)
	}
	if n := s.count("clients", "true"); n != 1 {
		t.Errorf("there are %d clients", n)
	}
}
