package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

// route is one method of one path. It gives the router a handler and the OpenAPI document
// an operation.
type route struct {
	method string
	path   string
	verb   apidoc.Verb
	action *apidoc.Action // nil: one of the five of every resource
	format format         // without _format and Accept
	public bool           // may be opened to requests without a token
	// needsFilter marks a list that is refused without a filter.
	needsFilter bool
	columns     []string // of the page of the list; nil: all that are selected
	handle      handler
	index       int // among all routes, of which those of a company are the first

	// plain handles a route outside the resources, instead of handle.
	plain func(api *API, g *gin.Context)
	// allow lists the methods of the path, if it does not have this one.
	allow string
	// knows returns the names of parameters and attributes that requests may have; nil if it
	// is not checked. known are those names once the route is mounted.
	knows func() *knownNames
	known *knownNames
	// describe is the operation in the OpenAPI document; nil if it has none.
	describe func() apidoc.Operation
}

type handler func(c *call) (*response, error)

// hasFile reports whether the body of the request, or of the response to a GET, is a file.
func (r *route) hasFile() bool { return r.action != nil && r.action.IsFile }

// methodNotAllowed returns the route of a method that the path of this route does not have.
func (r route) methodNotAllowed(allow string) route {
	none := route{format: r.format, allow: allow}
	if r.plain != nil {
		none.plain = func(api *API, g *gin.Context) { api.sendProblem(g, jsonFormat, notAllowed(allow)) }
	}
	return none
}

// isReport reports whether the response is a report, whose rows may be CSV.
func (r *route) isReport() bool { return r.action != nil && r.action.IsReport }

func notAllowed(allow string) problem.Error {
	return problem.Error{Status: http.StatusMethodNotAllowed, Detail: "this path supports only the methods " + allow, Allow: allow}
}

// resource is the first part of the path below /rest/.
func (r route) resource() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.path, "/rest/"), "/")
	return name
}

// template returns the path with {id} for :id.
func (r route) template() string { return strings.ReplaceAll(r.path, ":id", "{id}") }

// Operations returns the operations of the service, in the order of the routes, of which several
// may be one. HEAD and OPTIONS, which every path has, are not listed.
func Operations(resources []Resource) []apidoc.Operation {
	return operationsOf(routesOf(resources))
}

func operationsOf(resources []route) (all []apidoc.Operation) {
	for _, r := range slices.Concat(serviceRoutes, resources) {
		o := r.describe()
		if !slices.ContainsFunc(all, func(a apidoc.Operation) bool { return a.Path == o.Path && a.Method == o.Method }) {
			all = append(all, o)
		}
	}
	return all
}
