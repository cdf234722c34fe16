package api_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 1.16, 1.22, 1.23
func TestATrustedProxyTellsThePublicAddressInLinkAndLocation(t *testing.T) {
	for name, c := range map[string]struct {
		proxies, base string
		want          func(s *service) string
	}{
		"trusted":            {proxies: "192.0.2.1,127.0.0.0/8,::1", want: func(*service) string { return "https://crm.example.com" }},
		"a stranger":         {proxies: "192.0.2.1", want: func(s *service) string { return s.url }},
		"nobody is trusted":  {want: func(s *service) string { return s.url }},
		"an address of ours": {proxies: "127.0.0.0/8,::1", base: "https://crm.example.org/in", want: func(*service) string { return "https://crm.example.org/in" }},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, func(config *bootstrap.Config) { config.RawProxies, config.RawBaseURL = c.proxies, c.base })
			proxied := s.as("manager").with("X-Forwarded-Proto", "https").with("X-Forwarded-Host", "crm.example.com")
			created := proxied.post("/rest/client", fields{"name": "Acme", "type": 1}).wants(200)
			if got, want := created.header.Get("Location"), c.want(s)+"/rest/client/1"; got != want {
				t.Errorf("Location is %s, want %s", got, want)
			}
			list := proxied.get("/rest/client").wants(200)
			if got, want := list.header.Get("Link"), "<"+c.want(s)+`/rest/client?page=1>; rel="self"`; !strings.HasPrefix(got, want) {
				t.Errorf("Link is %s, want it to begin with %s", got, want)
			}
		})
	}
}
