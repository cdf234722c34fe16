package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
)

// serviceRoutes are the routes outside the resources: they need no token and only know JSON.
var serviceRoutes = []route{
	serviceRoute("/healthz", constant(contentTypeJSON, statusOK), apidoc.Service{
		ID: "health", Summary: "Liveness probe", Schema: statusSchema, Response: "The process is alive.",
		Description: "Returns 200 as long as the process is alive, whether or not the database responds. For supervisors that restart " +
			"a process which hangs.",
	}),
	serviceRoute("/readyz", (*API).readyz, apidoc.Service{
		ID: "ready", Summary: "Readiness probe", Schema: statusSchema, Response: "The service is ready.",
		MayFail: true,
		Description: "Returns 200 while the schema is up to date and the database responds, and 503 otherwise and from the beginning " +
			"of a shutdown. For load balancers.",
	}),
	serviceRoute("/version", (*API).version, apidoc.Service{
		ID: "version", Summary: "The version of the service", Schema: versionSchema, Response: "The build information of the program, " +
			"and its time zone.",
		Description: "Returns the version, the commit and the date of the running program, for bug reports, and the time zone of the " +
			"instants in responses.",
	}),
	serviceRoute("/openapi.json", func(api *API, g *gin.Context) { api.document(g, api.openAPI) }, apidoc.Service{
		ID: "openapi", Summary: "This document in JSON", Schema: `{"type":"object"}`, Response: "The document.",
		Description: "The OpenAPI document (3.1) of the service, for API browsers and validators.",
	}),
	serviceRoute("/openapi-codegen.json", func(api *API, g *gin.Context) { api.document(g, api.openAPICodegen) }, apidoc.Service{
		ID: "openapiCodegen", Summary: "This document for code generators", Schema: `{"type":"object"}`, Response: "The document.",
		Description: "The same document as `/openapi.json` for programs that send a token and no `fields`: without this parameter, " +
			"and with the required attributes of records in responses.",
	}),
}

func serviceRoute(path string, handle func(api *API, g *gin.Context), docs apidoc.Service) route {
	return route{
		method: http.MethodGet, path: path, plain: handle,
		describe: func() apidoc.Operation {
			return apidoc.Operation{Method: http.MethodGet, Path: path, Service: &docs}
		},
	}
}

const statusSchema = `{"type":"object","required":["status"],"properties":{"status":{"type":"string","enum":["ok","unavailable"]}}}`

const versionSchema = `{"type":"object","required":["version","commit","date","go","timezone"],"properties":{` +
	`"version":{"type":"string","description":"The release, or devel."},` +
	`"commit":{"type":"string","description":"The commit that was built; empty if unknown."},` +
	`"date":{"type":"string","description":"The time of the commit (RFC 3339); empty if unknown."},` +
	`"go":{"type":"string","description":"The Go version of the build."},` +
	`"timezone":{"type":"string","description":"The IANA name of the time zone of all instants."}}}`

func constant(contentType string, body []byte) func(api *API, g *gin.Context) {
	return func(_ *API, g *gin.Context) { g.Data(http.StatusOK, contentType, body) }
}

var statusOK = []byte(`{"status":"ok"}`)

// document sends a document that is made for the first request.
func (api *API) document(g *gin.Context, made func() ([]byte, error)) {
	body, err := made()
	if err != nil {
		api.log.ErrorContext(g.Request.Context(), "OpenAPI document", "error", err)
		g.AbortWithStatus(http.StatusInternalServerError)
		return
	}
	g.Data(http.StatusOK, contentTypeJSON, body)
}

func (api *API) readyz(g *gin.Context) {
	if api.ready.Err(g.Request.Context()) != nil {
		g.Header("Retry-After", retryAfter)
		g.Data(http.StatusServiceUnavailable, contentTypeJSON, []byte(`{"status":"unavailable"}`))
		return
	}
	g.Data(http.StatusOK, contentTypeJSON, statusOK)
}

func (api *API) version(g *gin.Context) {
	g.JSON(http.StatusOK, struct {
		Version
		TimeZone string `json:"timezone"`
	}{api.config.Version, api.timeZoneFor(g)})
}
