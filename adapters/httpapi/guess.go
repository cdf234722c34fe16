package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
)

// guesses slow down who tries tokens: each address may present so many wrong ones
// at once, and then one a second.
//
// Chose to refuse only tokens that are not in use, because others share the address:
// an office, or everybody behind a proxy that nobody trusts. Costs that a guess which
// meets a token in use is not slowed down; of 256 bits, none does.
type guesses struct{ *buckets[netip.Prefix] }

const (
	guessesAtOnce    = 60
	guessesPerSecond = 1
)

func newGuesses() *guesses {
	return &guesses{newBuckets[netip.Prefix](guessesPerSecond, guessesAtOnce)}
}

// admit refuses with 429 a token from an address that has no guess left.
func (g *guesses) admit(from netip.Prefix) error {
	left := g.left(from, g.now())
	if left >= 1 {
		return nil
	}
	return refusal{
		status: http.StatusTooManyRequests,
		detail: "too many wrong tokens came from this address; a token that is in use is taken all the same",
		wait:   g.seconds(1 - left),
	}
}

// count counts a wrong token.
func (g *guesses) count(from netip.Prefix) {
	now := g.now()
	g.of(from, now).ReserveN(now, 1)
}

// neighbours is how much of an address in IPv6 tells one network from another:
// who has one address there has all that begin like it.
const neighbours = 64

// callerOf is where a request comes from: the peer's address, or what the last of
// the trusted proxies says of its own peer. Without an address all are one.
func (api *API) callerOf(r *http.Request) netip.Prefix {
	address := addressOf(r.RemoteAddr)
	if api.isProxy(address) {
		address = api.beforeProxies(address, r.Header.Values("X-Forwarded-For"))
	}
	bits := address.BitLen()
	if address.Is6() {
		bits = neighbours
	}
	network, _ := address.Prefix(bits) // an address without bits is the zero Prefix
	return network
}

// beforeProxies is the last address that a header lists and that is no trusted
// proxy itself; each proxy has added its peer behind what it was sent. What makes no
// sense ends the search at the proxy that has written it.
func (api *API) beforeProxies(proxy netip.Addr, lists []string) netip.Addr {
	list := strings.Join(lists, ",")
	for list != "" {
		last := strings.LastIndexByte(list, ',')
		address := addressOf(strings.TrimSpace(list[last+1:]))
		if !address.IsValid() {
			return proxy
		}
		if !api.isProxy(address) {
			return address
		}
		proxy, list = address, list[:max(last, 0)]
	}
	return proxy
}

// addressOf reads an address with or without a port; the zero one if it is none.
func addressOf(text string) netip.Addr {
	address, err := netip.ParseAddr(text)
	if err != nil {
		with, _ := netip.ParseAddrPort(text)
		address = with.Addr()
	}
	return address.Unmap().WithZone("")
}
