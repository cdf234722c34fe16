package httpapi

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/ports"
)

// contract 3.20, 3.36
func TestCallerShareCountsATokenOnceItIsKnown(t *testing.T) {
	p := newAuthService(Config{MaxRequests: 8, CallerShare: 25})
	expect := func(when, secret string, status int, as ports.Caller) {
		t.Helper()
		c, err := p.authenticate(here, secret)
		defer c.leave()
		got := http.StatusOK
		if err != nil {
			document, _ := problem.Of(err)
			got = document.Status
		}
		if got != status || c.caller != as {
			t.Errorf("%s: status %d for %+v, want %d for %+v", when, got, c.caller, status, as)
		}
	}
	token, address := ports.Caller{Token: 1}, ports.Caller{Address: netip.MustParsePrefix("192.0.2.1/32")}
	hold := func(of ports.Caller) {
		t.Helper()
		for range 2 {
			if err := p.api.limits.inFlight.Enter(of); err != nil {
				t.Fatal(err)
			}
		}
	}
	release := func(of ports.Caller) {
		p.api.limits.inFlight.Leave(of)
		p.api.limits.inFlight.Leave(of)
	}
	hold(address)
	expect("an address that looks up tokens", "good", 429, address)
	expect("the same, without a token", "", 429, address)
	if p.lookups != 0 {
		t.Errorf("%d tokens were looked up", p.lookups)
	}
	release(address)
	expect("a free address", "good", 200, token)
	hold(address)
	expect("a token that is known", "good", 200, token)
	expect("a wrong token", "bad", 429, address)
	release(address)
	hold(token)
	expect("a token with its share", "good", 429, token)
	expect("others of the address", "bad", 401, address)
}
