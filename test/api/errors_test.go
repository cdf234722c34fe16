package api_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/pgtest"
)

// contract 3.4, 3.5, 3.3, 3.10
func TestProblemUsesNegotiatedFormat(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := s.as("viewer").with("Accept", "").get("/rest/status?sort=nope").wants(400)
	if got := r.header.Get("Content-Type"); got != "application/problem+xml; charset=utf-8" {
		t.Errorf("content type %q", got)
	}
	if !strings.Contains(r.body, `<problem xmlns="urn:ietf:rfc:7807">`) || strings.Contains(r.body, "errors") {
		t.Errorf("got %s", r.body)
	}
	r = s.as("admin").with("Accept", "").post("/rest/status", fields{"color": "x"}).wants(422)
	if !strings.Contains(r.body, "<errors><error><field>name</field><code>required</code><message>is required</message></error><error><field>color</field>") {
		t.Errorf("got %s", r.body)
	}
	r = s.nobody().with("Accept", "").get("/rest/status").wants(401)
	if got := r.header.Get("WWW-Authenticate"); got != `Bearer realm="kontor"` {
		t.Errorf("WWW-Authenticate %q", got)
	}
	if !strings.HasPrefix(r.header.Get("Content-Type"), "application/problem+xml") {
		t.Errorf("content type %q", r.header.Get("Content-Type"))
	}
	s.nobody().with("Accept", "application/xml").get("/elsewhere").rejected(404)
}

// contract 3.23, 3.22, 1.17, 1.18
func TestServiceResumesAfterDatabaseOutage(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "connections to workers go past the proxy")
	s := start(t)
	viewer := s.as("viewer")
	viewer.get("/rest/client").wants(200)
	address, err := url.Parse(s.served)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(address.Path, "/")
	address.Path = "/postgres"
	elsewhere := &service{t: t, pool: pgtest.Pool(t, address.String())}
	elsewhere.execute(`alter database "` + name + `" allow_connections false`)
	elsewhere.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", name)
	for range 3 {
		if r := viewer.get("/rest/client"); r.rejected(503).Type != "about:blank" || r.header.Get("Retry-After") == "" {
			t.Errorf("without a database the response is %v %s", r.header, r.body)
		}
	}
	s.nobody().get("/healthz").wants(200)
	s.nobody().becomes(503)
	elsewhere.execute(`alter database "` + name + `" allow_connections true`)
	viewer.get("/rest/client").wants(200)
	s.nobody().becomes(200)
}
