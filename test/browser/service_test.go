//go:build full

package browser

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
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
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/rest/client?fields=name&sort=id", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var list struct {
		Response struct{ Items []struct{ Name string } }
	}
	if err := json.NewDecoder(reply.Body).Decode(&list); err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("the list of clients: %d, %v", reply.StatusCode, err)
	}
	for _, c := range list.Response.Items {
		names = append(names, c.Name)
	}
	return names
}
