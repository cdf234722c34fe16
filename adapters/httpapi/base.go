package httpapi

import (
	"net/http"
	"strings"
)

// base is the public base URL of the service, without a trailing slash: the configured
// one, else that of the request as a trusted proxy or the request itself reports it.
func (api *API) base(r *http.Request) string {
	if u := api.config.BaseURL; u != nil {
		return strings.TrimRight(u.String(), "/")
	}
	scheme, host := schemeOf(r), r.Host
	if api.config.TrustedProxies.Trusts(r.RemoteAddr) {
		if proto := strings.ToLower(forwarded(r.Header, "X-Forwarded-Proto")); proto == "http" || proto == "https" {
			scheme = proto
		}
		if name := forwarded(r.Header, "X-Forwarded-Host"); isHost(name) {
			host = name
		}
	}
	return scheme + "://" + host
}

// schemeOf is the scheme of the connection.
func schemeOf(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// forwarded is the last value of a header that may be a list: the one that the peer has
// added, and not those that it has received.
func forwarded(h http.Header, name string) string {
	list := strings.Join(h.Values(name), ",")
	return strings.TrimSpace(list[strings.LastIndexByte(list, ',')+1:])
}

// isHost reports whether the text is a valid host with an optional port. The server
// validates Host in the same way.
func isHost(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]") == ""
}
