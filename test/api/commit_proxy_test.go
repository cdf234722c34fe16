package api_test

import (
	"bytes"
	"net"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgproxy"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// serveThroughProxy runs the service behind a proxy to the database, or to the pooler if
// the tests use one.
func serveThroughProxy(t testing.TB) (*service, *pgproxy.Proxy) {
	t.Helper()
	database := pgtest.URL(t)
	pooler := pgtest.SharedPooler(t)
	if pooler == nil {
		proxy := pgproxy.Open(t, database)
		return serve(t, proxy.URL), proxy
	}
	proxy := pgproxy.Open(t, pooler.URL(database))
	return serve(t, database, func(c *bootstrap.Config) {
		testserver.UsePooler(t, c, pooler)
		c.PoolerURL = proxy.URL
	}), proxy
}

// onCommit has the function called when the database has committed, before the confirmation
// is forwarded; if it returns true, the connection is cut instead.
func onCommit(proxy *pgproxy.Proxy, cuts func() bool) {
	intercept := pgproxy.Intercept(func(server, client net.Conn, sent []byte) bool {
		// The server's CommandComplete: its tag is a text that ends with NUL.
		if !bytes.Contains(sent, []byte("COMMIT\x00")) || !cuts() {
			return true
		}
		_ = server.Close()
		_ = client.Close()
		return false
	})
	proxy.FromServer.Store(&intercept)
}
