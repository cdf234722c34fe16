package bootstrap

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

func parseProxies(raw string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range splitList(raw) {
		network, err := netip.ParsePrefix(text)
		if address, bad := netip.ParseAddr(text); bad == nil && address.Zone() == "" {
			address = address.Unmap()
			network, err = address.Prefix(address.BitLen())
		}
		if err != nil || network.Addr().Is4In6() {
			return nil, fmt.Errorf("%q is neither an address nor a network, such as 10.0.0.7 or 192.168.0.0/16", text)
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}

// parseOrigins reads comma-separated origins, as browsers write them, or a * for all
// origins.
func parseOrigins(raw string) ([]string, error) {
	var origins []string
	for _, text := range splitList(raw) {
		if text == "*" && raw == text {
			return []string{text}, nil
		}
		u, err := url.Parse(strings.ToLower(text))
		if err != nil || u.Hostname() == "" || u.String() != u.Scheme+"://"+u.Host || strings.ContainsFunc(u.Host, notInHost) {
			return nil, fmt.Errorf("%q is not an origin, such as https://app.example.org: a scheme, a host and optionally a port "+
				"(a single * stands for all origins)", text)
		}
		// A browser omits the default port of a scheme.
		if usual := map[string]string{"http": "80", "https": "443"}[u.Scheme]; usual != "" && u.Port() == usual {
			u.Host = strings.TrimSuffix(u.Host, ":"+usual)
		}
		origins = append(origins, u.Scheme+"://"+u.Host)
	}
	return origins, nil
}

// notInHost reports whether no browser sends the letter in a host: names outside
// ASCII are sent as punycode.
func notInHost(r rune) bool { return r > '~' || strings.ContainsRune("*,;'\"<>", r) }

// splitList returns the entries of a comma-separated list; none if it is empty.
func splitList(raw string) []string {
	if strings.TrimSpace(raw) == "" {
		return nil
	}
	var entries []string
	for entry := range strings.SplitSeq(raw, ",") {
		entries = append(entries, strings.TrimSpace(entry))
	}
	return entries
}
