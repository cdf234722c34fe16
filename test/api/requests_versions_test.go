package api_test

import (
	"net/http"
	"regexp"
	"slices"
	"testing"
)

// contract 4.51, 4.52, 4.53, 3.16
func TestETagConditionalRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	first := admin.post("/rest/client", fields{"name": "a", "type": 1}).wants(200).header.Get("ETag")
	if !regexp.MustCompile(`^"1-[0-9a-f]+"$`).MatchString(first) {
		t.Fatalf("ETag %s", first)
	}
	if r := admin.with("If-None-Match", `"x", W/`+first).get("/rest/client/1").wants(304); r.body != "" {
		t.Errorf("a 304 with the body %s", r.body)
	}
	other := admin.get("/rest/client/1?fields=name&_format=xml").wants(200).header.Get("ETag")
	if other == first {
		t.Error("two representations have the same ETag")
	}
	admin.with("If-None-Match", first).get("/rest/client/1?fields=name").wants(200)
	admin.with("If-Match", "W/"+other).put("/rest/client/1", fields{"name": "b"}).wants(200)
	admin.with("If-Match", first).put("/rest/client/1", fields{"name": "c"}).rejected(412)
	admin.with("If-Match", first).delete("/rest/client/1").rejected(412)
	admin.with("If-Match", `"nonsense"`).patch("/rest/client/1", fields{"name": "c"}).rejected(412)
	admin.with("If-Match", "*").patch("/rest/client/1", fields{"name": "c"}).wants(200)
	admin.with("If-Match", `"9-0", "3-0"`).patch("/rest/client/1", fields{"name": "d"}).wants(200)
	list := admin.get("/rest/client")
	if got := list.wants(200).header; got.Get("ETag") != "" || got.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("a list has ETag %q and Cache-Control %q", got.Get("ETag"), got.Get("Cache-Control"))
	}
}

// contract 4.55
func TestResponsesArePrivateAndRevalidated(t *testing.T) {
	t.Parallel()
	s := start(t)
	manager := s.as("manager")
	created := manager.post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
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
