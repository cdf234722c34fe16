package api_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// exhaustFailedTokens sends invalid tokens until they are rate limited, and returns
// that response.
func exhaustFailedTokens(t *testing.T, from *caller) *reply {
	t.Helper()
	began := time.Now()
	for i := 0; ; i++ {
		r := from.with("Authorization", fmt.Sprintf("Bearer kt_%012x_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3J", i)).get("/rest/client")
		if r.status != http.StatusUnauthorized {
			if most := 60 + int(time.Since(began)/time.Second) + 1; i < 60 || i > most {
				t.Errorf("%d failed tokens were checked, want 60 and one per second", i)
			}
			return r
		}
	}
}

// contract 5.21, 3.20, 3.25
func TestFailedTokensAreRateLimitedPerAddress(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.as("manager").get("/rest/client").wants(http.StatusOK)
	rejected := exhaustFailedTokens(t, s.nobody())
	rejected.rejected(http.StatusTooManyRequests)
	if got := rejected.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After is %q", got)
	}
	wrong := s.nobody().with("access-token", "kt_wrong")
	for what, send := range map[string]func() *reply{ // the rate limit precedes all other errors
		"an unknown format": func() *reply { return wrong.with("Accept", "image/png").get("/rest/client") },
		"an unknown path":   func() *reply { return wrong.get("/rest/nowhere") },
		"a creation":        func() *reply { return wrong.post("/rest/client", fields{}) },
		"an invalid id":     func() *reply { return wrong.delete("/rest/client/0") },
	} {
		tries := 1
		for send().status != http.StatusTooManyRequests && tries < 1000 { // one a second is checked
			tries++
		}
		if tries == 1000 {
			t.Errorf("%s is never rate limited", what)
		}
	}
	for range 10 {
		s.as("manager").get("/rest/client").wants(http.StatusOK)
	}
	s.nobody().get("/rest/client").rejected(http.StatusUnauthorized)
	s.nobody().get("/healthz").wants(http.StatusOK)
	s.nobody().send(http.MethodOptions, "/rest/client", nil).wants(http.StatusNoContent)
	if n := s.count("clients", "true"); n != 0 {
		t.Error("a rejected creation was stored")
	}
}

// contract 5.22, 1.23
func TestFailedTokensBehindTrustedProxyAreLimitedPerCaller(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *bootstrap.Config) { c.RawProxies = "127.0.0.0/8,::1" })
	exhaustFailedTokens(t, s.nobody().with("X-Forwarded-For", "203.0.113.9, 198.51.100.7"))
	s.as("viewer").with("X-Forwarded-For", "198.51.100.8").get("/rest/client").wants(http.StatusOK)
}
