package bootstrap

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/fuzzseed"
)

// contract 1.23
func FuzzTrustedProxiesAreNetworksOrRejected(f *testing.F) {
	fuzzseed.Texts(f, "", " ", "10.0.0.7", "10.1.2.3/8, 192.168.0.0/16", "::1,2001:db8::/32,::ffff:127.0.0.1", "proxy", "10.0.0.7,", "10.0.0.0/33", "fe80::1%eth0", "::ffff:10.0.0.0/104", "*", "0.0.0.0/0")
	f.Fuzz(func(t *testing.T, raw string) {
		networks, err := parseProxies(raw)
		if err != nil {
			return
		}
		var texts []string
		for i, network := range networks {
			texts = append(texts, network.String())
			entry := splitList(raw)[i]
			host, _, _ := strings.Cut(entry, "/")
			if address, err := netip.ParseAddr(host); err != nil || !network.Contains(address.Unmap()) {
				t.Errorf("%q trusts %s, which is not in %q", raw, network, entry)
			}
		}
		if again, err := parseProxies(strings.Join(texts, ",")); err != nil || !slices.Equal(again, networks) {
			t.Errorf("%q is %v, and then %v, %v", raw, networks, again, err)
		}
	})
}

// contract 1.19
func FuzzOriginsAreAsBrowsersWriteThemOrRejected(f *testing.F) {
	fuzzseed.Texts(f, "", "*", "https://app.example.org, http://localhost:3000", "HTTPS://App.Example.org:443", "http://[::1]:80", "tauri://localhost", "https://a/", "https://*.a", "https://a,*", "null", "https://ann@a", "//a", "https://a:", "http://a:80:80", "http://:80")
	f.Fuzz(func(t *testing.T, raw string) {
		origins, err := parseOrigins(raw)
		if err != nil {
			return
		}
		for _, origin := range origins {
			u, err := url.Parse(origin)
			if origin != "*" && (err != nil || u.Host == "" || origin != u.Scheme+"://"+u.Host || origin != strings.ToLower(origin) || strings.ContainsAny(origin, "*, ")) {
				t.Errorf("%q allows %q", raw, origin)
			}
		}
		if again, err := parseOrigins(strings.Join(origins, ",")); err != nil || !slices.Equal(again, origins) {
			t.Errorf("%q is %q, and then %q, %v", raw, origins, again, err)
		}
	})
}
