package api_test

import (
	"net/http"
	"slices"
	"testing"
)

// contract 4.55
func TestResponsesArePrivateAndRevalidated(t *testing.T) {
	t.Parallel()
	s := start(t)
	manager := s.as("manager")
	created := manager.post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
	s.nobody().becomes(200)
	for _, r := range []*reply{
		created,
		manager.get("/rest/client").wants(200),
		manager.get("/rest/client/1").wants(200),
		manager.with("If-None-Match", created.header.Get("ETag")).get("/rest/client/1").wants(304),
		manager.send(http.MethodHead, "/rest/client/1", nil).wants(200),
		manager.send(http.MethodOptions, "/rest/client/1", nil).wants(204),
		manager.get("/rest/client?page=0").wants(400),
		s.nobody().get("/rest/client").wants(401),
		s.as("viewer").delete("/rest/client/1").wants(403),
		manager.get("/rest/client/2").wants(404),
		manager.delete("/rest/client").wants(405),
		manager.get("/rest/client?_format=yaml").wants(406),
		manager.post("/rest/client", fields{}).wants(422),
		manager.delete("/rest/client/1").wants(200),
		s.nobody().get("/nowhere").wants(404),
		s.nobody().get("/healthz").wants(200),
		s.nobody().get("/readyz").wants(200),
	} {
		if got := r.header.Values("Cache-Control"); !slices.Equal(got, []string{"private, no-cache"}) {
			t.Errorf("%s: Cache-Control is %q", r.what, got)
		}
	}
}
