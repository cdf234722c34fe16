package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// serviceRoutes are those outside of the resources: they need no token and know
// no format but JSON.
var serviceRoutes = []route{
	{
		method: http.MethodGet, path: "/healthz", plain: (*API).healthz,
		about: operation{id: "health", summary: "Whether the process lives", plain: okSchema},
	},
	{
		method: http.MethodGet, path: "/readyz", plain: (*API).readyz,
		about: operation{id: "ready", summary: "Whether requests can be served", plain: okSchema, mayBeUnready: true},
	},
	{
		method: http.MethodGet, path: "/openapi.json", plain: (*API).openAPI,
		about: operation{id: "openapi", summary: "This document", plain: object{{"type", "object"}}},
	},
}

var okSchema = object{
	{"type", "object"},
	{"required", []string{"status"}},
	{"properties", object{{"status", object{{"type", "string"}, {"enum", []string{"ok", "unavailable"}}}}}},
}

func (api *API) healthz(g *gin.Context) {
	g.Data(http.StatusOK, contentTypeJSON, []byte(`{"status":"ok"}`))
}

func (api *API) readyz(g *gin.Context) {
	ctx, cancel := context.WithTimeout(g.Request.Context(), 2*time.Second)
	defer cancel()
	if err := api.ready(ctx); err != nil {
		api.log.Warn("not ready", "error", err)
		g.Header("Retry-After", retryAfter)
		g.Data(http.StatusServiceUnavailable, contentTypeJSON, []byte(`{"status":"unavailable"}`))
		return
	}
	g.Data(http.StatusOK, contentTypeJSON, []byte(`{"status":"ok"}`))
}

func (api *API) openAPI(g *gin.Context) {
	g.Data(http.StatusOK, contentTypeJSON, api.document)
}
