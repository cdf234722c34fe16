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
		about: operation{
			id: "health", summary: "Whether the process lives", plain: okSchema, answers: "It lives.",
			example: object{{"status", "ok"}},
			says:    "Answers 200 as long as the process lives, whatever the database does. For those who restart what hangs.",
		},
	},
	{
		method: http.MethodGet, path: "/readyz", plain: (*API).readyz,
		about: operation{
			id: "ready", summary: "Whether requests can be served", plain: okSchema, answers: "They can.",
			example: object{{"status", "ok"}}, unready: object{{"status", "unavailable"}},
			says: "Answers 200 once the schema is up to date and the database responds, until the service is told to stop, and 503 at any other time. For those who send requests elsewhere meanwhile.",
		},
	},
	{
		method: http.MethodGet, path: "/version", plain: (*API).version,
		about: operation{
			id: "version", summary: "Which version this is", plain: versionSchema, answers: "What the program was built from.",
			says:    "Tells from what the running program was built, for reports of faults.",
			example: object{{"version", "1.4.0"}, {"commit", "0b1c9f62ad7e41c08f1d33f5a3b8c7e9d2a64f10"}, {"date", "2024-03-01T12:00:00Z"}, {"go", "go1.26.0"}},
		},
	},
	{
		method: http.MethodGet, path: "/openapi.json", plain: (*API).openAPI,
		about: operation{
			id: "openapi", summary: "This document, in JSON", plain: object{{"type", "object"}},
			says: "The OpenAPI document (3.1) of the service, for generators of clients and for tools that show it.", answers: "The document.",
		},
	},
	{
		method: http.MethodGet, path: "/openapi.yaml", plain: (*API).openAPIInYAML,
		about: operation{
			id: "openapiYaml", summary: "This document, in YAML", plain: object{}, // a schema would make clients need a library for YAML
			says: "The same document as `/openapi.json`, in the same order, for people to read.", answers: "The document.", media: "application/yaml",
		},
	},
}

var serviceLesson = lesson{about: "What the process says of itself. These need no token and know no format but the one shown; OPTIONS and HEAD work here too."}

var okSchema = object{
	{"type", "object"},
	{"required", []string{"status"}},
	{"properties", object{{"status", object{{"type", "string"}, {"enum", []string{"ok", "unavailable"}}}}}},
}

var versionSchema = object{
	{"type", "object"},
	{"required", []string{"version", "commit", "date", "go"}},
	{"properties", object{
		{"version", object{{"type", "string"}, {"description", "The release, or devel."}}},
		{"commit", object{{"type", "string"}, {"description", "What it was built from; empty if that is not known."}}},
		{"date", object{{"type", "string"}, {"description", "When that was committed (RFC 3339); empty if that is not known."}}},
		{"go", object{{"type", "string"}, {"description", "The version of Go that built it."}}},
	}},
}

func (api *API) healthz(g *gin.Context) {
	g.Data(http.StatusOK, contentTypeJSON, []byte(`{"status":"ok"}`))
}

func (api *API) readyz(g *gin.Context) {
	if api.config.Shutdown.HasBegun() {
		unready(g)
		return
	}
	ctx, cancel := context.WithTimeout(g.Request.Context(), 2*time.Second)
	defer cancel()
	if err := api.ready(ctx); err != nil {
		api.log.Warn("not ready", "error", err)
		unready(g)
		return
	}
	g.Data(http.StatusOK, contentTypeJSON, []byte(`{"status":"ok"}`))
}

func unready(g *gin.Context) {
	g.Header("Retry-After", retryAfter)
	g.Data(http.StatusServiceUnavailable, contentTypeJSON, []byte(`{"status":"unavailable"}`))
}

func (api *API) version(g *gin.Context) { g.JSON(http.StatusOK, api.config.Version) }

func (api *API) openAPI(g *gin.Context) {
	g.Data(http.StatusOK, contentTypeJSON, api.document())
}

func (api *API) openAPIInYAML(g *gin.Context) {
	g.Data(http.StatusOK, "application/yaml; charset=utf-8", api.documentYAML())
}
