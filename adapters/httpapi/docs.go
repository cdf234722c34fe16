package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/docspage"
)

// pageRoutes are those for people with a browser. They are not of the interface
// that programs use, so the reference document does not have them.
func pageRoutes() []route {
	page := docspage.Load()
	routes := []route{
		{method: http.MethodGet, path: "/", plain: (*API).root},
		{method: http.MethodGet, path: docspage.Path, plain: served{page}.atPlainAddress},
	}
	for _, file := range page.Files {
		routes = append(routes, route{method: http.MethodGet, path: file.Path, plain: served{file}.serve})
	}
	return routes
}

// served answers by what knows HTTP itself.
type served struct{ http.Handler }

func (s served) serve(_ *API, g *gin.Context) { s.ServeHTTP(g.Writer, g.Request) }

// atPlainAddress answers at the address without a slash at its end, and sends
// there who asks with one: what the page names is relative to it.
func (s served) atPlainAddress(api *API, g *gin.Context) {
	if asked, _, _ := strings.Cut(g.Request.RequestURI, "?"); strings.HasSuffix(asked, "/") {
		api.leadToPage(g)
		return
	}
	s.serve(api, g)
}

func (api *API) leadToPage(g *gin.Context) {
	g.Redirect(http.StatusFound, api.base(g.Request)+docspage.Path)
}

// root leads a browser to the page, and tells everybody else where to go on.
func (api *API) root(g *gin.Context) {
	g.Writer.Header()["Vary"] = api.vary()
	if readsHTML(g.Request.Header) {
		api.leadToPage(g)
		return
	}
	base := api.base(g.Request)
	g.JSON(http.StatusOK, signpost{
		Docs:    base + docspage.Path,
		OpenAPI: base + "/openapi.json",
		Health:  base + "/healthz",
	})
}

// signpost is where to go on from the root.
type signpost struct {
	Docs    string `json:"docs"`
	OpenAPI string `json:"openapi"`
	Health  string `json:"health"`
}

// readsHTML tells a browser from a program: it names HTML, which no wildcard does.
func readsHTML(h http.Header) bool {
	return slices.ContainsFunc(parseAccept(h.Values("Accept")), func(r mediaRange) bool {
		return r.name == "text/html" && r.quality > 0
	})
}
