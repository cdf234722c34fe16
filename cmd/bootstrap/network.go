package bootstrap

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// parseProxies reads addresses and networks that are parted by commas.
func parseProxies(raw string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range listed(raw) {
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

// parseOrigins reads origins that are parted by commas, as browsers write them,
// or a * that stands for all of them.
func parseOrigins(raw string) ([]string, error) {
	var origins []string
	for _, text := range listed(raw) {
		if text == "*" && raw == text {
			return []string{text}, nil
		}
		u, err := url.Parse(strings.ToLower(text))
		if err != nil || u.Host == "" || u.String() != u.Scheme+"://"+u.Host || strings.ContainsFunc(u.Host, notInHost) {
			return nil, fmt.Errorf("%q is no origin, such as https://app.example.org: a scheme, a host and perhaps a port "+
				"(a * stands for every origin, and alone)", text)
		}
		// A browser leaves out the port that a scheme has anyway.
		if usual := map[string]string{"http": "80", "https": "443"}[u.Scheme]; usual != "" && u.Port() == usual {
			u.Host = strings.TrimSuffix(u.Host, ":"+usual)
		}
		origins = append(origins, u.Scheme+"://"+u.Host)
	}
	return origins, nil
}

// notInHost tells of a letter that no browser sends in a host: names outside
// ASCII travel as punycode.
func notInHost(r rune) bool { return r > '~' || strings.ContainsRune("*,;'\"<>", r) }

// listed are the entries of a list that is parted by commas; none if the list
// is empty.
func listed(raw string) []string {
	if strings.TrimSpace(raw) == "" {
		return nil
	}
	var entries []string
	for entry := range strings.SplitSeq(raw, ",") {
		entries = append(entries, strings.TrimSpace(entry))
	}
	return entries
}
