package httpapi

import (
	"maps"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// noRoute responds for a path without a route. Under /rest/ the token is checked first, so
// that the paths of the service cannot be probed without one.
func (api *API) noRoute(g *gin.Context) {
	if f, err := api.authenticateUnmatched(g); err != nil {
		api.sendProblem(g, f, err)
		return
	}
	api.sendProblem(g, api.unmatchedFormat(g), fault.New(fault.NotFound, "there is no such path%s", api.meantPath(g.Request.URL.Path)))
}

// meantPath says which path is probably meant by one without a route: a list with a similar name, also without
// /rest before it, or one of those below a record.
func (api *API) meantPath(path string) string {
	lists := api.namesBelow("/rest/")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if parts[0] == "rest" && len(parts) > 3 && slices.Contains(lists, parts[1]) {
		record := "/rest/" + parts[1] + "/:id/"
		if names := api.namesBelow(record); len(names) > 0 {
			return "; below a record there are " + strings.Join(names, ", ")
		}
		return ""
	}
	for i, name := range parts[:min(len(parts), 2)] { // the first one may be rest, api or a version
		meant := text.Nearest(name, lists)
		if meant != "" && (i != 1 || parts[0] != "rest" || meant != name) {
			return "; did you mean /rest/" + meant + "?"
		}
	}
	if isBelowRest(path) {
		return "; the lists are " + strings.Join(lists, ", ")
	}
	return ""
}

// namesBelow returns the names that the paths have after this one, without ids.
func (api *API) namesBelow(prefix string) []string {
	names := map[string]bool{}
	for path := range api.templates {
		if below, ok := strings.CutPrefix(path, prefix); ok {
			name, _, _ := strings.Cut(below, "/")
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
