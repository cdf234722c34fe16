package api_test

import (
	"fmt"
	"net/http"
	"testing"
)

// contract 4.65, 5.3
func TestHeadOptionsAndTrailingSlash(t *testing.T) {
	t.Parallel()
	s := start(t)
	get := s.as("viewer").get("/rest/client/")
	head := s.as("viewer").send(http.MethodHead, "/rest/client", nil).wants(200)
	if head.body != "" || head.header.Get("Content-Length") != fmt.Sprint(len(get.body)) || head.header.Get("X-Pagination-Total-Count") != "0" {
		t.Errorf("HEAD returned %v", head.header)
	}
	for path, want := range map[string]string{
		"/rest/client": "GET, HEAD, POST, OPTIONS", "/rest/client/7/": "GET, HEAD, PUT, PATCH, DELETE, OPTIONS", "/rest/user": "GET, HEAD, OPTIONS",
	} {
		if got := s.nobody().send(http.MethodOptions, path, nil).wants(204).header.Get("Allow"); got != want {
			t.Errorf("%s allows %q, want %q", path, got, want)
		}
	}
}
