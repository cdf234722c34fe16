package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
)

// What scripts of an allowed origin may send and read, in addition to the headers that
// the Fetch standard always allows.
var (
	allowedMethods = strings.Join(methods, ", ")
	allowedHeaders = strings.Join([]string{
		"Authorization", "access-token", "Content-Type", "If-Match", "If-None-Match", idempotencyKey, prefer,
		requestIDHeader, "traceparent", serverTiming,
	}, ", ")
	exposedHeaders = strings.Join([]string{
		"X_Pagination_Total_Count", "X_Pagination_Page_Count", "X_Pagination_Current_Page", "X_Pagination_Per_Page",
		"X-Pagination-Total-Count", "X-Pagination-Page-Count", "X-Pagination-Current-Page", "X-Pagination-Per-Page",
		"Link", "Location", "ETag", requestIDHeader, serverTiming, replayed, preferenceApplied, warningHeader,
		"Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
	}, ", ")
)

// preflightSeconds is how long a browser may cache the response to a preflight.
const preflightSeconds = "600"

// crossOrigin lets scripts of the configured origins read responses, including errors. A
// browser's own credentials are never allowed: scripts send a token.
//
// Chose: a few lines over a library. Because: the known ones change the case of header names, or
// reject a preflight whose header names differ from those of browsers in case or order, as proxies
// and other clients may. Costs: following the standard.
func (api *API) crossOrigin(g *gin.Context) {
	if len(api.config.Origins) == 0 {
		return
	}
	h := g.Writer.Header()
	h.Add("Vary", "Origin")
	allowed := api.allowedOrigin(g.GetHeader("Origin"))
	if allowed == "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", allowed)
	if g.Request.Method != http.MethodOptions || g.GetHeader("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", exposedHeaders)
		return
	}
	h.Set("Access-Control-Allow-Methods", allowedMethods)
	h.Set("Access-Control-Allow-Headers", allowedHeaders)
	h.Set("Access-Control-Max-Age", preflightSeconds)
	if g.FullPath() == "" {
		// A preflight has no token. The actual request gets the 401 or 404.
		g.AbortWithStatus(http.StatusNoContent)
	}
}

// allowedOrigin returns the value of Access-Control-Allow-Origin for the origin; "" if
// it is not allowed.
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

func (api *API) vary() []string {
	if len(api.config.Origins) == 0 {
		return varyWithoutOrigins
	}
	return varyWithOrigins
}

var (
	varyWithoutOrigins = []string{"Accept, Accept-Encoding"}
	varyWithOrigins    = []string{"Accept, Accept-Encoding, Origin"}
)
