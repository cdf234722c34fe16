package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 4.65, 5.3
func TestHeadOptionsAndTrailingSlash(t *testing.T) {
	t.Parallel()
	s := start(t)
	get := s.as("viewer").get("/rest/client/")
	head := s.as("viewer").send(http.MethodHead, "/rest/client", nil).wants(200)
	if head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(get.body)) || head.header.Get("X-Pagination-Total-Count") != "0" {
		t.Errorf("HEAD answers %v", head.header)
	}
	for path, want := range map[string]string{
		"/rest/client": "GET, HEAD, POST, OPTIONS", "/rest/client/7/": "GET, HEAD, PUT, PATCH, DELETE, OPTIONS", "/rest/user": "GET, HEAD, OPTIONS",
	} {
		if got := s.nobody().send(http.MethodOptions, path, nil).wants(204).header.Get("Allow"); got != want {
			t.Errorf("%s allows %q, want %q", path, got, want)
		}
	}
}

// contract 4.80, 1.29, 4.38
func TestCORSAllowedOriginCanReadAndWrite(t *testing.T) {
	t.Parallel()
	const app = "https://app.example.org"
	s := start(t, func(c *bootstrap.Config) { c.RawOrigins = app + ",http://localhost:3000" })
	// A preflight comes without a token, and asks for the headers of the request behind it.
	preflight := s.nobody().with("Origin", app).with("Access-Control-Request-Method", "POST").
		with("Access-Control-Request-Headers", "authorization,content-type,idempotency-key")
	asked := preflight.send(http.MethodOptions, "/rest/client", nil).wants(204)
	for name, wants := range map[string][]string{
		"Access-Control-Allow-Headers": {"authorization", "content-type", "idempotency-key"},
		"Access-Control-Allow-Methods": {"post"},
		"Access-Control-Allow-Origin":  {app},
	} {
		got := strings.Split(strings.ToLower(asked.header.Get(name)), ", ")
		for _, want := range wants {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %s lacks %s", name, got, want)
			}
		}
	}
	script := s.as("manager").with("Origin", app)
	for _, r := range []*reply{
		script.post("/rest/client", fields{"name": "Acme", "type": 1}).wants(200),
		script.get("/rest/client").wants(200),
		script.get("/rest/client/1").wants(200),
		script.get("/rest/client/2").wants(404),
		script.post("/rest/client", fields{"name": "", "type": 1}).wants(422),
	} {
		if got := r.header.Get("Access-Control-Allow-Origin"); got != app {
			t.Errorf("%s allows %q, want %s", r.what, got, app)
		}
		if got := r.header.Values("Vary"); !slices.Equal(got, []string{"Accept, Origin"}) {
			t.Errorf("%s: Vary is %q", r.what, got)
		}
		readable := strings.Split(r.header.Get("Access-Control-Expose-Headers"), ", ")
		for name := range r.header {
			if name == "X-Content-Type-Options" {
				continue // for the browser, not for scripts
			}
			if strings.HasPrefix(strings.ToUpper(name), "X") || slices.Contains([]string{"Link", "Location", "Etag"}, name) {
				if !slices.ContainsFunc(readable, func(other string) bool { return strings.EqualFold(name, other) }) {
					t.Errorf("%s: %s cannot be read by scripts", r.what, name)
				}
			}
		}
	}
	tag := script.get("/rest/client/1").header.Get("ETag")
	if got := script.with("If-None-Match", tag).get("/rest/client/1").wants(304).header.Get("Access-Control-Allow-Origin"); got != app {
		t.Errorf("a 304 allows %q, want %s", got, app)
	}
	stranger := s.as("manager").with("Origin", "https://elsewhere.example.org").get("/rest/client").wants(200)
	if got, ok := stranger.header["Access-Control-Allow-Origin"]; ok {
		t.Errorf("another origin is allowed: %s", got)
	}
}
