package httpapi

import (
	"net"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/domain/fault"
)

// base returns the public base URL of the service, without a trailing slash: the configured
// one, else that of the request as a trusted proxy or the request itself reports it, else the address
// of the connection.
func (api *API) base(r *http.Request) string {
	if u := api.config.BaseURL; u != nil {
		return strings.TrimRight(u.String(), "/")
	}
	scheme, host := schemeOf(r), r.Host
	if name, _, _ := strings.Cut(host, ":"); name == "" { // an IPv6 address is in brackets
		if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
			host = local.String()
		}
	}
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

func schemeOf(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// forwarded returns the last value of a header that may be a list: the one that the peer has
// added, and not those that it has received.
func forwarded(h http.Header, name string) string {
	list := strings.Join(h.Values(name), ",")
	return strings.TrimSpace(list[strings.LastIndexByte(list, ',')+1:])
}

// checkHost rejects a request whose Host no URL can have, because the URLs in its
// response begin with it. The server checks Host over HTTP/1, but not :authority over HTTP/2.
// Health checks over HTTP/1.0 have none.
func (api *API) checkHost(g *gin.Context) {
	if host := g.Request.Host; host != "" && !isHost(host) {
		api.sendProblem(g, api.unmatchedFormat(g), fault.New(fault.Malformed, "the host of the request is not a host with an optional port"))
		g.Abort()
	}
}

// isHost reports whether the text has only the characters of a host with an optional port.
func isHost(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]") == ""
}
