package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
)

// What scripts of an allowed origin may send and read. The headers that the
// Fetch standard lets everybody send and read are not listed.
var (
	crossOriginMethods = strings.Join(methods, ", ")
	crossOriginRequest = strings.Join([]string{
		"Authorization", "access-token", "Content-Type", "If-Match", "If-None-Match", idempotencyKey,
		requestIDHeader, "traceparent", serverTiming,
	}, ", ")
	crossOriginAnswer = strings.Join([]string{
		"X_Pagination_Total_Count", "X_Pagination_Page_Count", "X_Pagination_Current_Page", "X_Pagination_Per_Page",
		"X-Pagination-Total-Count", "X-Pagination-Page-Count", "X-Pagination-Current-Page", "X-Pagination-Per-Page",
		"Link", "Location", "ETag", requestIDHeader, serverTiming, replayed,
		"Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
	}, ", ")
)

// preflightSeconds is how long a browser may remember the answer to a preflight.
const preflightSeconds = "600"

// crossOrigin lets scripts of the operator's origins read answers, errors
// included. Credentials of a browser are never allowed: a caller shows a token,
// and scripts send theirs themselves.
//
// Chose a few lines over a library, because those at hand change the letters of
// the header names, or refuse a preflight whose header names are not in the
// letters and the order that browsers use, which proxies and other clients
// need not keep; costs keeping up with the standard.
func (api *API) crossOrigin(g *gin.Context) {
	if len(api.config.Origins) == 0 {
		return
	}
	h := g.Writer.Header()
	h.Set("Vary", "Origin")
	allowed := api.allowedOrigin(g.GetHeader("Origin"))
	if allowed == "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", allowed)
	if g.Request.Method != http.MethodOptions || g.GetHeader("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", crossOriginAnswer)
		return
	}
	h.Set("Access-Control-Allow-Methods", crossOriginMethods)
	h.Set("Access-Control-Allow-Headers", crossOriginRequest)
	h.Set("Access-Control-Max-Age", preflightSeconds)
	if g.FullPath() == "" {
		// A preflight has no token. The request behind it gets the 401 or 404.
		g.AbortWithStatus(http.StatusNoContent)
	}
}

// allowedOrigin is what the answer to a request from there allows; "" if nothing.
func (api *API) allowedOrigin(origin string) string {
	switch {
	case origin == "":
		return ""
	case slices.Contains(api.config.Origins, "*"):
		return "*"
	case slices.Contains(api.config.Origins, strings.ToLower(origin)):
		return origin
	}
	return ""
}

// vary names the headers of a request that its answer depends on.
func (api *API) vary() []string {
	if len(api.config.Origins) == 0 {
		return varyWithoutOrigins
	}
	return varyWithOrigins
}

var (
	varyWithoutOrigins = []string{"Accept"}
	varyWithOrigins    = []string{"Accept, Origin"}
)
