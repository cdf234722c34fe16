package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/docspage"
)

// pageRoutes returns the routes for browsers. They are not part of the API, so the
// OpenAPI document does not have them.
func pageRoutes() []route {
	page := docspage.Load()
	routes := []route{
		{method: http.MethodGet, path: "/", plain: (*API).root},
		{method: http.MethodGet, path: docspage.Path, plain: staticRoute{page}.withoutSlash},
		{method: http.MethodGet, path: "/favicon.ico", plain: staticRoute{page.Icon()}.serve},
	}
	for _, file := range page.Files {
		routes = append(routes, route{method: http.MethodGet, path: file.Path, plain: staticRoute{file}.serve})
	}
	return routes
}

type staticRoute struct{ http.Handler }

func (s staticRoute) serve(_ *API, g *gin.Context) { s.ServeHTTP(g.Writer, g.Request) }

// withoutSlash redirects a path with a trailing slash, because the links of the page are
// relative to the path without one.
func (s staticRoute) withoutSlash(api *API, g *gin.Context) {
	if path, _, _ := strings.Cut(g.Request.RequestURI, "?"); strings.HasSuffix(path, "/") {
		api.redirectToPage(g)
		return
	}
	s.serve(api, g)
}

func (api *API) redirectToPage(g *gin.Context) {
	g.Redirect(http.StatusFound, api.base(g.Request)+docspage.Path)
}

// root redirects browsers to the page, and returns links to other clients.
func (api *API) root(g *gin.Context) {
	g.Writer.Header()["Vary"] = api.vary()
	if readsHTML(g.Request.Header) {
		api.redirectToPage(g)
		return
	}
	base := api.base(g.Request)
	g.JSON(http.StatusOK, rootLinks{
		Docs:    base + docspage.Path,
		OpenAPI: base + "/openapi.json",
		Health:  base + "/healthz",
	})
}

type rootLinks struct {
	Docs    string `json:"docs"`
	OpenAPI string `json:"openapi"`
	Health  string `json:"health"`
}

// readsHTML reports whether Accept names HTML, as browsers do; wildcards do not count.
//
// Chose: no HTML if Accept names JSON or GIF. Because: it then is that of a program; java.net.HttpURLConnection
// sends HTML, GIF and JPEG unless it is told otherwise. Costs: browsers older than 2010 name GIF too.
func readsHTML(h http.Header) bool {
	ranges := parseAccept(h.Values("Accept"))
	names := func(types ...string) bool {
		return slices.ContainsFunc(ranges, func(r mediaRange) bool { return slices.Contains(types, r.name) && r.quality > 0 })
	}
	return names("text/html") && !names("application/json", "image/gif")
}
