package api_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 4.88, 1.63
func TestAdminListenerSendsNosniffAndNoServerHeader(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *bootstrap.Config) { c.AdminListen = "127.0.0.1:0" })
	for path, want := range map[string]int{
		"/metrics": 200, "/healthz": 200, "/readyz": 200, "/version": 200, "/debug/pprof/": 200, "/debug/pprof/heap": 200,
		"/nowhere": 404, "/debug/pprof/nothing": 404, "/rest/client": 404, "/": 404,
		"/debug/pprof/cmdline": 404, // contains the password of the database
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			w := httptest.NewRecorder()
			s.admin.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
			if method == http.MethodGet && w.Code != want {
				t.Errorf("%s returned %d, want %d", path, w.Code, want)
			}
			if got := w.Header().Values("X-Content-Type-Options"); !slices.Equal(got, []string{"nosniff"}) {
				t.Errorf("%s %s (%d): X-Content-Type-Options is %q", method, path, w.Code, got)
			}
			for _, name := range []string{"Server", "X-Powered-By"} {
				if got := w.Header().Get(name); got != "" {
					t.Errorf("%s %s: %s is %q", method, path, name, got)
				}
			}
		}
	}
}

// contract 1.72, 1.16, 4.37
func TestTLSLinksAreHTTPSAndHTTP2HeadersLowerCase(t *testing.T) {
	t.Parallel()
	s := start(t)
	server := httptest.NewUnstartedServer(s.running.Handler)
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	send := func(method, path, body string) http.Header {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.tokens["manager"])
		request.Header.Set("Content-Type", "application/json")
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK || response.ProtoMajor != 2 {
			t.Fatalf("%s %s returned %s in %s", method, path, response.Status, response.Proto)
		}
		return response.Header
	}
	if got, want := send(http.MethodPost, "/rest/client", `{"name":"Acme","type":1}`).Get("Location"), server.URL+"/rest/client/1"; got != want {
		t.Errorf("Location is %s, want %s", got, want)
	}
	page := send(http.MethodGet, "/rest/client", "")
	if got, want := page.Get("Link"), "<"+server.URL+`/rest/client?page=1>; rel="self"`; !strings.HasPrefix(got, want) || !strings.HasPrefix(want, "<https://") {
		t.Errorf("Link is %s, want it to begin with %s", got, want)
	}
	for _, name := range []string{"x_pagination_total_count", "x-pagination-total-count"} {
		if got := page.Get(name); got != "1" { // Go capitalizes the first letter of each part between hyphens
			t.Errorf("%s is %q in %v", name, got, page)
		}
	}
}
