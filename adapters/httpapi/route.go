package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

// route is one method of one path. The table of all routes gives the router its
// handlers and the reference document its operations.
type route struct {
	method string
	path   string
	format format // the format of a request that asks for none
	public bool   // may be opened to requests without a token
	handle handler
	about  operation // what the reference document says

	// plain answers past all that the resources have in common, instead of handle.
	plain func(api *API, g *gin.Context)
	// onlyAllows lists what the path has instead, if it lacks this method.
	onlyAllows string
}

// handler answers a request whose caller is known.
type handler func(c *call) (*answer, error)

// lacking is the route of a method that the path of this one does not have.
func (r route) lacking(allow string) route {
	none := route{format: r.format, onlyAllows: allow}
	if r.plain != nil {
		none.plain = func(api *API, g *gin.Context) { api.refuse(g, jsonFormat, notAllowed(allow)) }
	}
	return none
}

func notAllowed(allow string) problem.Error {
	return problem.Error{Status: http.StatusMethodNotAllowed, Detail: "this path has only the methods " + allow, Allow: allow}
}

// template is the path as addresses are described, with {id} for :id.
func (r route) template() string { return strings.ReplaceAll(r.path, ":id", "{id}") }

// Route is one method of one path that the service answers.
type Route struct {
	Method string
	Path   string // such as /rest/deal/{id}/history
}

// Routes lists all routes, but for the HEAD and OPTIONS that come with each
// path.
func Routes() []Route {
	var listed []Route
	for _, r := range allRoutes() {
		listed = append(listed, Route{r.method, r.template()})
	}
	return listed
}

// allRoutes is the table without anything behind it.
func allRoutes() []route { return slices.Concat(serviceRoutes, Resources{}.routes()) }
