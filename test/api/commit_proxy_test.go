package api_test

import (
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
