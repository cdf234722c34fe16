package httpapi

import (
	"net/http"
	"strings"
)

// base is the public address of the service, without a slash at its end: the
// operator's, else the one that the request was sent to, as a trusted proxy or
// the request itself tells it.
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

// schemeOf is how the request reached this process.
func schemeOf(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// forwarded is the last value of a header that may be a list: the one that the
// peer has written itself, and not passed on from whoever asked it.
func forwarded(h http.Header, name string) string {
	list := strings.Join(h.Values(name), ",")
	return strings.TrimSpace(list[strings.LastIndexByte(list, ',')+1:])
}

// isHost tells whether the text may stand in an address as its host and port.
// The server has looked at Host in the same way.
func isHost(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]") == ""
}
