package httpapi

import (
	"slices"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Resource is a resource of the API: its routes. Router, OpenAPI document and labels of
// metrics are derived from the list of all resources.
type Resource []route

func routesOf(resources []Resource) (all []route) {
	for _, r := range resources {
		all = append(all, r...)
	}
	return all
}

// Creatable returns the templates of the paths where a POST creates a record.
func Creatable(resources []Resource) (paths []string) {
	for _, r := range routesOf(resources) {
		if r.verb == apidoc.Create && r.action == nil {
			paths = append(paths, r.template())
		}
	}
	return slices.Clip(paths)
}

func unfiltered(*params) readmodel.NoFilter { return readmodel.NoFilter{} }
