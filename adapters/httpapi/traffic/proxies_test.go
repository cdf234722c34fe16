package traffic

import (
	"net/http"
	"net/netip"
	"testing"
)

// contract 5.22, 1.23
func TestClientIsTheLastAddressThatIsNoTrustedProxy(t *testing.T) {
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		peer string
		said []string
		want string
	}{
		"a connection":                 {"192.0.2.1:80", nil, "192.0.2.1/32"},
		"IPv6, as its network":         {"[2001:db8:1:2:3:4:5:6]:80", nil, "2001:db8:1:2::/64"},
		"IPv6 with a zone":             {"[fe80::1%eth0]:80", nil, "fe80::/64"},
		"mapped IPv4":                  {"[::ffff:192.0.2.1]:80", nil, "192.0.2.1/32"},
		"a forged header from outside": {"192.0.2.1:80", []string{"198.51.100.7"}, "192.0.2.1/32"},
		"behind a proxy":               {"10.0.0.1:80", []string{"198.51.100.7"}, "198.51.100.7/32"},
		"behind a proxy in IPv6":       {"[fd00::1]:80", []string{"2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64"},
		"behind two":                   {"10.0.0.1:80", []string{"198.51.100.7, 10.0.0.2"}, "198.51.100.7/32"},
		"behind two with a header each": {
			"10.0.0.1:80", []string{"203.0.113.9, 198.51.100.7", "10.0.0.2"}, "198.51.100.7/32",
		},
		"an entry of the client itself": {"10.0.0.1:80", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7/32"},
		"with a port":                   {"10.0.0.1:80", []string{"198.51.100.7:4711"}, "198.51.100.7/32"},
		"with a port in IPv6":           {"10.0.0.1:80", []string{"[2001:db8::1]:4711"}, "2001:db8::/64"},
		"the proxy alone":               {"10.0.0.1:80", nil, "10.0.0.1/32"},
		"proxies only":                  {"10.0.0.1:80", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3/32"},
		"an invalid entry":              {"10.0.0.1:80", []string{"198.51.100.7, unknown, 10.0.0.2"}, "10.0.0.2/32"},
		"an empty last entry":           {"10.0.0.1:80", []string{"198.51.100.7,"}, "10.0.0.1/32"},
		"a peer that has no address":    {"@", []string{"198.51.100.7"}, "invalid Prefix"},
		"a mapped IPv4 entry":           {"10.0.0.1:80", []string{"::ffff:198.51.100.7"}, "198.51.100.7/32"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-For": c.said}}
			if got := proxies.ClientOf(r).String(); got != c.want {
				t.Errorf("the client is %s, want %s", got, c.want)
			}
		})
	}
}
