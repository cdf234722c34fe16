//go:build full

package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testserver"
)

// proxied is a running Kontor on its own database, with one user.
type proxied struct {
	url   string
	token string
}

// startBehind runs the service until the test ends, behind a proxy that removes the path
// prefix.
func startBehind(t *testing.T, prefix string) proxied {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.StripPrefix(prefix, handler).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)

	built := testserver.Build(t, pgtest.URL(t), func(c *bootstrap.Config) { c.RawBaseURL = server.URL + prefix })
	handler = built.Handler
	return proxied{url: server.URL + prefix, token: testserver.Token(t, built, "mira", user.Admin)}
}
