//go:build full

package browser

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// service is a running Kontor on its own database, with one user.
type service struct {
	url   string
	token string
}

// start runs the service until the test ends, behind a proxy that removes the path
// prefix, unless that is "".
func start(t *testing.T, prefix string) service {
	t.Helper()
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.StripPrefix(prefix, handler).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)

	built := testserver.Build(t, pgtest.URL(t), func(c *bootstrap.Config) { c.RawBaseURL = server.URL + prefix })
	handler = built.Handler
	return service{url: server.URL + prefix, token: testserver.Token(t, built, "mira", user.Admin)}
}

// clients are the names of all clients in the API.
func (s service) clients(t *testing.T) (names []string) {
	t.Helper()
	var list struct{ Items []struct{ Name string } }
	_, err := rest.Client{URL: s.url, Token: s.token}.Call(t.Context(), http.MethodGet, "/rest/client?fields=name&sort=id", nil, &list)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list.Items {
		names = append(names, c.Name)
	}
	return names
}
