package api_test

import (
	"net/url"
	"strings"
	"testing"
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
	if !strings.Contains(r.body, "<errors><error><field>name</field><message>is required</message></error><error><field>color</field>") {
		t.Errorf("got %s", r.body)
	}
	r = s.nobody().with("Accept", "").get("/rest/status").wants(401)
	if got := r.header.Get("WWW-Authenticate"); got != `Bearer realm="kontor"` {
		t.Errorf("WWW-Authenticate %q", got)
	}
	if !strings.HasPrefix(r.header.Get("Content-Type"), "application/problem+xml") {
		t.Errorf("content type %q", r.header.Get("Content-Type"))
	}
	s.nobody().with("Accept", "application/xml").get("/elsewhere").refused(404)
}

// contract 3.7, 3.28
func TestMalformedParametersAreRejected(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, address := range []string{
		"/rest/client?per_page=x", "/rest/client?type=9", "/rest/client?sort=colour", "/rest/client?fields=colour", "/rest/invoice?month=0",
		"/rest/client?expand=colour", "/rest/client?per_page=1&per_page=x",
	} {
		s.as("viewer").get(address).refused(400)
	}
	s.as("viewer").get("/rest/client?per_page=x&per_page=1&colour=red&month=0").wants(200)
}

// contract 3.23, 3.22, 1.17, 1.18
func TestServiceResumesAfterDatabaseOutage(t *testing.T) {
	t.Parallel()
	s := start(t)
	viewer := s.as("viewer")
	viewer.get("/rest/client").wants(200)
	address, err := url.Parse(s.database)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(address.Path, "/")
	address.Path = "/postgres"
	elsewhere := &service{t: t, database: address.String()}
	elsewhere.execute(`alter database "` + name + `" allow_connections false`)
	elsewhere.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", name)
	for range 3 {
		if r := viewer.get("/rest/client"); r.refused(503).Type != "about:blank" || r.header.Get("Retry-After") == "" {
			t.Errorf("without a database the answer is %v %s", r.header, r.body)
		}
	}
	s.nobody().get("/healthz").wants(200)
	s.nobody().get("/readyz").wants(503)
	elsewhere.execute(`alter database "` + name + `" allow_connections true`)
	viewer.get("/rest/client").wants(200)
	s.nobody().get("/readyz").wants(200)
}

// contract 3.25, 3.11, 3.12, 3.14, 5.3
func TestErrorOrderFirstErrorWins(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.as("admin").post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
	bad := "?fields=nope&_format=yaml"
	s.nobody().get("/rest/nowhere" + bad).refused(401)
	s.as("viewer").get("/rest/nowhere" + bad).refused(404)
	s.nobody().get("/rest/").refused(401)
	s.as("viewer").get("/rest/").refused(404)
	s.as("viewer").get("/rest/client/0" + bad).refused(404)
	s.as("viewer").delete("/rest/client" + bad).refused(405)
	s.as("viewer").with("Content-Type", "text/plain").put("/rest/client/9"+bad, "{").refused(406)
	s.as("viewer").with("Content-Type", "text/plain").put("/rest/client/9?fields=nope", "{").refused(415)
	s.as("viewer").put("/rest/client/9?fields=nope", "{}").refused(400)
	s.as("viewer").put("/rest/client/9", "{}").refused(403)
	s.as("manager").with("If-Match", `"7-0"`).put("/rest/client/9", `{"name":""}`).refused(404)
	s.as("manager").with("If-Match", `"7-0"`).put("/rest/client/1", `{"name":""}`).refused(412)
	s.as("manager").with("If-Match", `"7-0"`).put("/rest/client/1", `{"name":"","user":4}`).refused(403)
	s.as("manager").put("/rest/client/1", `{"name":""}`).refused(422)
	s.as("manager").post("/rest/client", `{"type":7,"user":4}`).refused(403)
	s.as("manager").post("/rest/deal", `{"status_id":"x","user":4}`).refused(403)
	for _, id := range []string{"abc", "-1", "1.0", "9223372036854775808", "%31x"} {
		s.as("viewer").get("/rest/client/" + id).refused(404)
	}
}
