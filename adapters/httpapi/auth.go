package httpapi

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
)

// identity is who sends a request.
type identity struct {
	tenant  *Tenant // whose records it reads and writes
	actor   access.Actor
	source  tokenSource
	address netip.Prefix
}

type tokenSource struct {
	token   string
	inQuery bool
}

var tokenParameters = []string{"auth_key", "access-token"}

// findToken finds the token in all possible places. Different tokens are a
// fault.Unauthenticated.
func findToken(r *http.Request, query url.Values) (tokenSource, error) {
	var s tokenSource
	different := false
	offer := func(token string, inQuery bool) {
		if token == "" {
			return
		}
		different = different || s.token != "" && s.token != token
		s = tokenSource{token: token, inQuery: s.inQuery || inQuery}
	}
	for _, name := range tokenParameters {
		for _, value := range query[name] {
			offer(value, true)
		}
	}
	for _, value := range r.Header.Values("Access-Token") {
		offer(value, false)
	}
	for _, value := range r.Header.Values("Authorization") {
		if scheme, credentials, ok := strings.Cut(value, " "); ok && strings.EqualFold(scheme, "Bearer") {
			offer(strings.TrimSpace(credentials), false)
		}
	}
	if name, _, ok := r.BasicAuth(); ok {
		offer(name, false)
	}
	if different {
		return s, fault.New(fault.Unauthenticated, "the request carries different tokens")
	}
	return s, nil
}

// admit counts the call as in flight and authenticates it. The call counts for its token at
// once if that was looked up lately, and else for its address until it has been: an address
// may be that of many callers.
func (api *API) admit(c *call, header http.Header) error {
	source, invalid := findToken(c.http, c.query.Values)
	if source.token == "" {
		if source.token = c.tokenOfPage(); source.token != "" {
			header.Set("Cache-Control", "no-store")
		}
	}
	c.source = source
	if id, ok := api.home.auth.Identify(source.token); ok && invalid == nil {
		c.caller = ports.Caller{Token: id}
	}
	if err := c.enter(); err != nil {
		return err
	}
	if invalid != nil {
		return invalid
	}
	if err := c.findTenant(); err != nil {
		return err
	}
	return api.authenticate(c, header)
}

// authenticate checks the token, the limit on failed authentication of the address and
// the rate limit of the token, which sets the RateLimit headers. A route that the operator
// opened needs no token, but a sent one must be valid.
func (api *API) authenticate(c *call, header http.Header) error {
	if c.source.token == "" {
		if c.route.public && api.config.PublicLists {
			c.actor = access.Actor{Role: user.Viewer}
			return nil
		}
		return fault.New(fault.Unauthenticated, "%s", noToken(c.http.Header))
	}
	var err error
	if c.actor, err = api.accept(c, c.source.token); err != nil {
		return err
	}
	c.observed.UserID = int64(c.actor.UserID)
	key := ports.Caller{Tenant: c.tenant.code, Token: c.actor.TokenID}
	if err := c.limits.rate.Admit(key, header); err != nil {
		return err
	}
	return c.identify(key)
}

// noToken says how to send the token that a request does not have.
func noToken(h http.Header) string {
	scheme, _, _ := strings.Cut(h.Get("Authorization"), " ")
	switch {
	case strings.EqualFold(scheme, "Bearer"), strings.EqualFold(scheme, "Basic"):
		return "Authorization has no token: it must be Bearer, a space and the token"
	case scheme != "":
		return "Authorization lacks the scheme Bearer: it must be Bearer, a space and the token"
	}
	return "a token is needed: send it as Authorization: Bearer, or as auth_key"
}

// accept returns the actor behind the token. An address that has sent too many invalid
// tokens sends further ones at no cost to the database, and gets a 429 for them.
func (api *API) accept(c *call, token string) (access.Actor, error) {
	auth := c.tenant.auth
	if actor, ok := auth.AuthenticateCached(token); ok {
		return actor, nil
	}
	if limited := c.limits.failedAuth.Admit(c.address); limited != nil {
		actor, err := auth.AuthenticateIssued(c, token)
		if fault.Is(err, fault.Unauthenticated) {
			return actor, limited
		}
		return actor, err
	}
	actor, err := auth.Authenticate(c, token)
	if fault.Is(err, fault.Unauthenticated) {
		c.limits.failedAuth.Count(c.address)
	}
	return actor, err
}

// authenticateUnmatched rejects a request for a path under /rest/ that has no route, unless
// it has a valid token or is OPTIONS, which needs none.
func (api *API) authenticateUnmatched(g *gin.Context) (format, error) {
	if !isBelowRest(g.Request.URL.Path) || g.Request.Method == http.MethodOptions {
		return api.unmatchedFormat(g), nil
	}
	c := api.newCall(g.Request.Context(), g.Request, &route{}, &writerOf(g).request)
	c.query.Values = g.Request.URL.Query()
	defer c.leave()
	err := api.admit(c, g.Writer.Header())
	return api.unmatchedFormat(g), err
}

func (api *API) unmatchedFormat(g *gin.Context) format {
	if !isBelowRest(g.Request.URL.Path) {
		return jsonFormat
	}
	return lenientFormat(g.Request, []format{api.config.DefaultFormat.or(jsonFormat), jsonFormat, xmlFormat})
}

// isBelowRest reports whether the path is under /rest/; /rest is the same path.
func isBelowRest(path string) bool { return path == "/rest" || strings.HasPrefix(path, "/rest/") }
