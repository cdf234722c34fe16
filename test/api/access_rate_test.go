package api_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 1.19, 3.20, 3.25, 5.18, 5.19
func TestRateLimitedTokenGetsRetryAfter(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *bootstrap.Config) { c.RateLimit = 0.001 })
	first := s.as("admin").get("/rest/client").wants(http.StatusOK)
	for name, want := range map[string]string{"RateLimit-Limit": "1", "RateLimit-Remaining": "0", "RateLimit-Reset": "1000", "Retry-After": ""} {
		if got := first.header.Get(name); got != want {
			t.Errorf("%s of the first response is %q, want %q", name, got, want)
		}
	}
	for _, rejected := range []*reply{
		s.as("admin").get("/rest/client"), s.as("admin").post("/rest/client", fields{"name": "x", "type": 1}), s.as("admin").get("/rest/nowhere"),
		s.as("admin").with("Accept", "image/png").delete("/rest/client"), s.as("admin").get("/rest/client/0?page=x"),
	} {
		rejected.rejected(http.StatusTooManyRequests)
		got := rejected.header.Get("Retry-After")
		if after, err := strconv.Atoi(got); err != nil || after > 1000 || after < 940 { // less a minute that the test may take
			t.Errorf("%s: Retry-After is %q", rejected.what, got)
		}
	}
	if n := s.count("clients", "true"); n != 0 {
		t.Error("a rejected creation was stored")
	}
	s.as("manager").get("/rest/client").wants(http.StatusOK)
	s.nobody().get("/rest/client").rejected(http.StatusUnauthorized)
	s.as("nobody").get("/rest/client").rejected(http.StatusUnauthorized)
	s.as("admin").becomes(http.StatusOK)
	s.as("admin").get("/healthz").wants(http.StatusOK)
}
