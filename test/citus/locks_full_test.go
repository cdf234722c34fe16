//go:build full

package citus_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/citus"
	"github.com/kontor-crm/kontor/test/testserver"
)

// contract 15.7
func TestLockOnAWorkerIsWaitedForAsLongAsOnOneServer(t *testing.T) {
	c, url, offices, _ := serveShared(t)
	bakery := offices[0]
	conn, err := pgx.Connect(t.Context(), url+"&search_path="+bakery.code.Schema())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	lock, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mira := column[int64](t, url, "select id from "+bakery.code.Schema()+".users")[0]
	if _, err := lock.Exec(t.Context(), `
insert into idempotency_keys (user_id, path, key, fingerprint, claimed_at)
values ($1, '/rest/client', 'k', sha256(''), now())`, mira); err != nil {
		t.Fatal(err)
	}
	for by, limited := range map[string]struct {
		by   func(*bootstrap.Config)
		want int // of the statement timeout it would be 503
	}{
		"by the lock timeout":    {func(c *bootstrap.Config) { c.LockTimeout = 100 * time.Millisecond }, http.StatusConflict},
		"by the request timeout": {func(c *bootstrap.Config) { c.RequestTimeout, c.StatementTimeout = 300*time.Millisecond, time.Minute }, http.StatusServiceUnavailable},
	} {
		t.Run(by, func(t *testing.T) {
			at := bakery
			at.t, at.key, at.url = t, "k", testserver.On(t, url, func(c *bootstrap.Config) {
				c.StatementTimeout, c.LockTimeout = 3*time.Second, 2*time.Second
				limited.by(c)
			}).URL
			if status, text := at.send(http.MethodPost, "/rest/client", `{"name":"x","type":1}`); status != limited.want {
				t.Errorf("%d %s", status, text)
			}
			awaitNoWaiter(t, c)
		})
	}
}

// awaitNoWaiter waits until no session of a node waits for a lock.
func awaitNoWaiter(t *testing.T, c *citus.Cluster) {
	t.Helper()
	for range 100 {
		waiting := int64(0)
		for _, n := range c.Nodes {
			waiting += column[int64](t, n.URL("postgres"), "select count(*) from pg_stat_activity where wait_event_type = 'Lock'")[0]
		}
		if waiting == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("a session still waits for the lock")
}
