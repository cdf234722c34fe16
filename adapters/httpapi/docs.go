package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/page"
)

// pageRoutes returns the routes for browsers. They are not part of the API, so the
// OpenAPI document does not have them.
func pageRoutes() []route {
	reference := page.LoadReference()
	routes := []route{
		{method: http.MethodGet, path: "/", plain: (*API).root},
		{method: http.MethodGet, path: loginPath, plain: (*API).loginForm},
		{method: http.MethodPost, path: loginPath, plain: (*API).login},
		{method: http.MethodPost, path: logoutPath, plain: (*API).logout},
		{method: http.MethodGet, path: "/page.css", plain: constant("text/css; charset=utf-8", page.Style)},
		{method: http.MethodGet, path: page.ReferencePath, plain: staticRoute{reference}.withoutSlash},
		{method: http.MethodGet, path: "/favicon.ico", plain: staticRoute{reference.Icon()}.serve},
	}
	for _, file := range reference.Files {
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
	g.Redirect(http.StatusFound, api.base(g.Request)+page.ReferencePath)
}

// root shows browsers all lists, and returns links to other clients.
func (api *API) root(g *gin.Context) {
	g.Writer.Header()["Vary"] = api.vary()
	if readsHTML(g.Request.Header) {
		setPageHeaders(g.Writer.Header())
		base := api.basePath()
		index := page.Index{Frame: api.frame(g.Request, "Start")}
		if !api.fillStart(g, &index) {
			index.Links = []page.Link{{Text: "Log in", URL: base + loginPath}}
		}
		index.Links = append(append(index.Links, api.reportLinks()...), page.Link{Text: "API reference", URL: base + page.ReferencePath})
		api.sendPage(g, http.StatusOK, index.Write)
		return
	}
	base := api.base(g.Request)
	g.JSON(http.StatusOK, rootLinks{
		Docs:    base + page.ReferencePath,
		OpenAPI: base + "/openapi.json",
		Health:  base + "/healthz",
	})
}

type rootLinks struct {
	Docs    string `json:"docs"`
	OpenAPI string `json:"openapi"`
	Health  string `json:"health"`
}

// readsHTML reports whether Accept names HTML; wildcards do not count.
func readsHTML(h http.Header) bool { return accepts(h, "text/html") }

// isBrowser reports whether the request is that of a browser for a page.
//
// Chose: HTML and XHTML, without JSON, in Accept. Because: all browsers name both, and programs that have to get
// problem documents name HTML alone: java.net.HttpURLConnection does so by default. Costs: another type to know.
func isBrowser(h http.Header) bool {
	return readsHTML(h) && accepts(h, "application/xhtml+xml") && !accepts(h, "application/json")
}

func accepts(h http.Header, media string) bool {
	return slices.ContainsFunc(parseAccept(h.Values("Accept")), func(r mediaRange) bool { return r.name == media && r.quality > 0 })
}
