package traffic

import (
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of the trusted proxies; IPv4 as such, not mapped.
type Proxies []netip.Prefix

// Trusts reports whether the peer, an address with a port, is a trusted proxy.
func (p Proxies) Trusts(peer string) bool {
	return len(p) > 0 && p.contain(addressOf(peer))
}

func (p Proxies) contain(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// clientBits is how many leading bits of an IPv6 address identify its network: a client has
// all addresses of one.
const clientBits = 64

// ClientOf returns the network of the client: of the peer's address, or behind trusted
// proxies of the address that the outermost of them reports. All peers without an address
// share one.
func (p Proxies) ClientOf(r *http.Request) netip.Prefix {
	address := addressOf(r.RemoteAddr)
	if p.contain(address) {
		address = p.forwardedFor(address, r.Header.Values("X-Forwarded-For"))
	}
	bits := address.BitLen()
	if address.Is6() {
		bits = clientBits
	}
	network, _ := address.Prefix(bits) // an address without bits is the zero Prefix
	return network
}

// forwardedFor returns the last listed address that is no trusted proxy; each proxy appends
// its peer. An invalid entry ends the search at the proxy that wrote it.
func (p Proxies) forwardedFor(proxy netip.Addr, lists []string) netip.Addr {
	list := strings.Join(lists, ",")
	for list != "" {
		last := strings.LastIndexByte(list, ',')
		address := addressOf(strings.TrimSpace(list[last+1:]))
		if !address.IsValid() {
			return proxy
		}
		if !p.contain(address) {
			return address
		}
		proxy, list = address, list[:max(last, 0)]
	}
	return proxy
}

// addressOf parses an address with or without a port; the zero one if it is invalid.
func addressOf(text string) netip.Addr {
	address, err := netip.ParseAddr(text)
	if err != nil {
		withPort, _ := netip.ParseAddrPort(text)
		address = withPort.Addr()
	}
	return address.Unmap().WithZone("")
}
