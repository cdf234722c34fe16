package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/adapters/httpapi/openapi"
	"github.com/kontor-crm/kontor/adapters/httpapi/page"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/ports"
)

// Config is the configuration of the API.
type Config struct {
	BaseURL        *url.URL          // the public URL; nil: taken from each request
	TrustedProxies traffic.Proxies   // whose X-Forwarded headers are used
	Origins        []string          // allowed origins, in lower case; "*": any
	DefaultFormat  DefaultFormat     // of responses to requests that name no format
	MaxBody        int64             // bytes of a request body
	Lenient        bool              // unknown names in requests are ignored
	PublicLists    bool              // the reference lists can be read without a token
	RequestTimeout time.Duration     // after which a request is canceled
	RateLimit      float64           // requests per second for each token; 0: no limit
	MaxRequests    int               // in flight; 0: no limit
	CallerShare    ports.CallerShare // of them
	Heavy          *gate.InFlight    // the limit of heavy work in all companies; nil: none
	Version        Version           // of the program
	Observer       ports.Observer    // nil: none
	Shutdown       *traffic.Shutdown // nil: never begins
	Tenants        Tenants           // beside the default one; nil: none
}

// Version is the build information of the program.
type Version struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Date    string `json:"date"`
	Go      string `json:"go"`
}

// API serves the routes of all resources.
type API struct {
	config Config
	home   *Tenant // the default one
	limits limits
	ready  *traffic.Readiness
	log    *slog.Logger

	templates map[string]string // of the paths that contain an id
	bar, more []page.Link       // of pages

	openAPI, openAPICodegen func() ([]byte, error)
}

// New returns the handler of the service. home is the default company. ready fails while requests cannot be served,
// and obeys its context; its error is logged, not shown.
func New(config Config, home *Tenant, ready func(context.Context) error, log *slog.Logger) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	api := &API{
		config:    config,
		home:      home,
		limits:    newLimits(&config),
		ready:     traffic.NewReadiness(ready, config.Shutdown, log),
		log:       log,
		templates: map[string]string{},
	}
	engine := gin.New()
	engine.RedirectTrailingSlash = false
	engine.ContextWithFallback = true
	engine.Use(api.observe, api.crossOrigin, api.checkHost)
	all := slices.Concat(home.routes, serviceRoutes, pageRoutes())
	for i := range all {
		all[i].index = i
		api.templates[all[i].path] = all[i].template()
	}
	api.bar, api.more = api.listLinks()
	api.openAPI = sync.OnceValues(func() ([]byte, error) { return openapi.JSON(operationsOf(home.routes)) })
	api.openAPICodegen = sync.OnceValues(func() ([]byte, error) { return openapi.CodegenJSON(operationsOf(home.routes)) })
	for path, routes := range byPath(all) {
		api.mount(engine, path, routes)
	}
	engine.NoRoute(api.noRoute)
	return compressed(withPlainPath(withKnownMethod(engine)))
}

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

const otherMethod = ports.OtherMethod

// mount serves the routes of one path, and rejects the methods without a route in
// the format of the path.
func (api *API) mount(engine *gin.Engine, path string, routes map[string]route) {
	if get, ok := routes[http.MethodGet]; ok {
		routes[http.MethodHead] = get
	}
	var has []string
	for _, method := range methods {
		if _, ok := routes[method]; ok {
			has = append(has, method)
		}
	}
	allow := strings.Join(append(has, http.MethodOptions), ", ")
	for _, method := range append(slices.Clone(methods), otherMethod) {
		r, ok := routes[method]
		if !ok {
			r = routes[has[0]].methodNotAllowed(allow)
		}
		handle := api.serve(r)
		if r.plain != nil {
			handle = func(g *gin.Context) { r.plain(api, g) }
		}
		engine.Handle(method, path, handle)
	}
	engine.OPTIONS(path, func(g *gin.Context) {
		g.Header("Allow", allow)
		if _, ok := routes[http.MethodPatch]; ok {
			g.Header("Accept-Patch", body.Accepted)
		}
		g.Status(http.StatusNoContent)
	})
}

func byPath(routes []route) map[string]map[string]route {
	paths := map[string]map[string]route{}
	for _, r := range routes {
		if paths[r.path] == nil {
			paths[r.path] = map[string]route{}
		}
		paths[r.path][r.method] = r
	}
	return paths
}

// withKnownMethod replaces unknown methods by otherMethod, so that they too get a 405
// with the methods of the path.
func withKnownMethod(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodOptions && !slices.Contains(methods, r.Method) {
			r.Method = otherMethod
		}
		next.ServeHTTP(w, r)
	})
}

// withPlainPath makes /rest/client/ the same resource as /rest/client. A %2F in a path is no slash: such a
// path stays as it was sent, and then no route has it.
func withPlainPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(strings.ToUpper(r.URL.RawPath), "%2F") {
			r.URL.Path = r.URL.RawPath
		}
		if p := r.URL.Path; len(p) > 1 && strings.HasSuffix(p, "/") {
			r.URL.Path = strings.TrimRight(p, "/")
			r.URL.RawPath = strings.TrimRight(r.URL.RawPath, "/")
		}
		next.ServeHTTP(w, r)
	})
}
