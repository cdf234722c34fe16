package httpapi

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"
	"time"
)

// contract 1.16, 1.22, 1.23
func TestBaseURLPrefersConfigurationThenTrustedProxyThenRequest(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	own := &url.URL{Scheme: "https", Host: "crm.example.org", Path: "/kontor/"}
	const inside, outside = "10.1.2.3:4567", "192.0.2.1:4567"
	for name, c := range map[string]struct {
		base        *url.URL
		peer        string
		proto, host []string
		tls         bool
		want        string
	}{
		"a request alone":                {peer: outside, want: "http://here:8080"},
		"a request over TLS":             {peer: outside, tls: true, want: "https://here:8080"},
		"a proxy":                        {peer: inside, proto: []string{"https"}, host: []string{"crm.example.com"}, want: "https://crm.example.com"},
		"a proxy in IPv6":                {peer: "[::1]:80", proto: []string{"HTTPS"}, want: "https://here:8080"},
		"a proxy in mapped IPv4":         {peer: "[::ffff:10.0.0.1]:80", host: []string{"crm:81"}, want: "http://crm:81"},
		"a proxy with plain HTTP":        {peer: inside, tls: true, proto: []string{"http"}, want: "http://here:8080"},
		"an untrusted peer":              {peer: outside, proto: []string{"https"}, host: []string{"evil"}, want: "http://here:8080"},
		"an untrusted IPv6 peer":         {peer: "[::2]:80", proto: []string{"https"}, host: []string{"evil"}, want: "http://here:8080"},
		"a peer without an address":      {peer: "@", proto: []string{"https"}, host: []string{"evil"}, want: "http://here:8080"},
		"forged values before a proxy's": {peer: inside, proto: []string{"gopher, https, http"}, host: []string{"evil", "worse, crm"}, want: "http://crm"},
		"invalid values of a proxy":      {peer: inside, proto: []string{"gopher"}, host: []string{`crm>; rel="next"`}, want: "http://here:8080"},
		"a proxy with a path":            {peer: inside, host: []string{"crm/elsewhere"}, want: "http://here:8080"},
		"empty values of a proxy":        {peer: inside, proto: []string{""}, host: []string{""}, want: "http://here:8080"},
		"a configured URL and a proxy":   {base: own, peer: inside, proto: []string{"http"}, host: []string{"crm"}, want: "https://crm.example.org/kontor"},
		"a configured URL and a request": {base: own, peer: outside, want: "https://crm.example.org/kontor"},
	} {
		r := &http.Request{Host: "here:8080", RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-Proto": c.proto, "X-Forwarded-Host": c.host}}
		if c.tls {
			r.TLS = &tls.ConnectionState{}
		}
		api := &API{config: Config{BaseURL: c.base, TrustedProxies: proxies}}
		if got := api.base(r); got != c.want {
			t.Errorf("%s: the address is %s, want %s", name, got, c.want)
		}
	}
	api := &API{config: Config{}}
	r := &http.Request{Host: "here:8080", RemoteAddr: inside, Header: http.Header{"X-Forwarded-Proto": {"https"}}}
	if got := api.base(r); got != "http://here:8080" {
		t.Errorf("without trusted proxies the address is %s", got)
	}
}

// contract 4.93
func TestHostMustBeAHost(t *testing.T) {
	api := New(Config{RequestTimeout: time.Minute}, &Tenant{}, nil, slog.New(slog.DiscardHandler))
	for host, want := range map[string]int{
		"": 200, "crm": 200, "CRM.example.org:8080": 200, "[::1]:80": 200, "a_b-c": 200,
		"a>b": 400, "a b": 400, "a/b": 400, "a@b": 400, "ä": 400, "a\x00": 400, `"`: 400,
	} {
		r := newGet("/healthz")
		r.Host = host
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q is a %d, want %d", host, w.Code, want)
		}
	}
}
