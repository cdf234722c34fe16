package httpapi

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/tenant"
)

// Tenant is the part of the API that belongs to one company: its authenticator and its
// handlers. Paths, formats and limits are the same for all companies.
type Tenant struct {
	code     tenant.Code
	timeZone string
	auth     *access.Authenticator
	routes   []route // of its resources
}

// NewTenant returns the part of a company. Its resources must be the same as those of all
// other companies, in the same order.
func NewTenant(t tenant.Tenant, auth *access.Authenticator, resources []Resource) *Tenant {
	return &Tenant{code: t.Code, timeZone: t.TimeZone, auth: auth, routes: routesOf(resources)}
}

// Tenants finds companies other than the default one.
type Tenants interface {
	// Find returns the company that the token names, without authentication; nil if the token
	// names none, or one that is not served. A company that was added is found after that
	// time, or two seconds. The error is a fault.Unavailable if the catalogue cannot be read.
	Find(ctx context.Context, token string, within time.Duration) (*Tenant, error)
}

// The times within which a company that was added is found. Each costs a query, which an address
// that has sent too many invalid tokens cannot cause more often.
const (
	foundSoon  = 250 * time.Millisecond
	foundLater = 2 * time.Second
)

// findTenant makes the call one of the company that its token names. A token that names none
// that is served stays one of the default company, which does not know it.
func (c *call) findTenant() error {
	if c.api.config.Tenants == nil {
		return nil
	}
	within := foundSoon
	if c.limits.failedAuth.Admit(c.address) != nil {
		within = foundLater
	}
	found, err := c.api.config.Tenants.Find(c, c.source.token, within)
	if found == nil || err != nil {
		return err
	}
	c.tenant, c.observed.Company = found, string(found.code)
	if id, ok := found.auth.Identify(c.source.token); ok {
		return c.identify(ports.Caller{Tenant: found.code, Token: id})
	}
	return nil
}

// timeZoneFor returns the zone of the instants that the request's token would see; without a
// valid one, it is the default company's.
func (api *API) timeZoneFor(g *gin.Context) string {
	if api.config.Tenants == nil {
		return api.home.timeZone
	}
	ctx, cancel := context.WithTimeout(g.Request.Context(), api.config.RequestTimeout)
	defer cancel()
	c := api.newCall(ctx, g.Request, &route{}, &writerOf(g).request)
	defer c.leave()
	c.query.Values = g.Request.URL.Query()
	source, err := findToken(c.http, c.query.Values)
	if err != nil {
		return api.home.timeZone
	}
	if named, err := api.config.Tenants.Find(c, source.token, foundLater); named == nil || err != nil {
		return api.home.timeZone
	}
	if err := api.admit(c, g.Writer.Header()); err != nil {
		return api.home.timeZone
	}
	return c.tenant.timeZone
}
