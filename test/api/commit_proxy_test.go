package api_test

import (
	"testing"

	"github.com/kontor-crm/kontor/test/pgproxy"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// serveThroughProxy runs the service behind a proxy to the database.
func serveThroughProxy(t testing.TB) (*service, *pgproxy.Proxy) {
	t.Helper()
	proxy := pgproxy.Open(t, pgtest.URL(t))
	return serve(t, proxy.URL), proxy
}
