package httpapi

import (
	"net/http"
	"slices"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// mePath is the path of Me, which every token may read.
const mePath = "/rest/me"

// Me returns the resource of the token that a request carries.
func Me(tokens query.RecordReader) Resource {
	r := endpoint[readmodel.NoFilter]{
		path:   "me",
		table:  readmodel.Me,
		format: jsonFormat,
		record: "Me",
		docs:   &meDocs,
	}
	read := r.read(tokens)
	return Resource{r.route(http.MethodGet, "", apidoc.Read, func(c *call) (*response, error) {
		c.id = int64(c.actor.TokenID)
		return read(c)
	})}
}

var meDocs = apidoc.Docs{
	Description: "The token of the request. Every token may read this.",
	Attributes: apidoc.Attributes{
		"user":       "The user of the token.",
		"role":       "The role of the user: admin, manager or viewer.",
		"scopes":     "What the token may read or write, as in invoice:read; null: whatever its user may.",
		"label":      "What the token is for; null if it has no label.",
		"expires_at": "When the token expires; null: never.",
	},
}

// checkScope rejects a request that the scopes of its token do not allow. The routes below /rest/<resource> need
// the scopes of that resource; a write needs no others for what it shows or what follows from it.
func (c *call) checkScope() error {
	if c.actor.Scopes == "" || c.route.path == mePath {
		return nil
	}
	if c.route.method == http.MethodGet {
		return c.actor.Scopes.CheckRead(c.route.resource())
	}
	return c.actor.Scopes.CheckWrite(c.route.resource())
}

// ScopeResources returns the resources that scopes can name.
func ScopeResources(resources []Resource) []string { return scopeNames(routesOf(resources)) }

func scopeNames(routes []route) (names []string) {
	for _, r := range routes {
		if name := r.resource(); r.path != mePath && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
