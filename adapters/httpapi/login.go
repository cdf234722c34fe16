package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/page"
	"github.com/kontor-crm/kontor/domain/fault"
)

const (
	loginPath  = "/login"
	logoutPath = "/logout"
	tokenName  = "kontor_token"
	// maxLogin is the maximum size of the body of a login, in bytes.
	maxLogin = 64 << 10
)

// cookieToken returns the token of the cookie; "" if there is none.
func cookieToken(r *http.Request) string {
	cookie, err := r.Cookie(tokenName)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// tokenOfPage returns the token of the cookie, if the call asks for a page or its list as CSV; else "".
//
// Chose: the cookie opens only what a browser shows or saves. Because: no other site can then write with it, and no
// script of another origin can read with it. Costs: pages cannot change anything.
func (c *call) tokenOfPage() string {
	if c.http.Method != http.MethodGet && c.http.Method != http.MethodHead {
		return ""
	}
	switch f, err := negotiate(c.http, c.query.Values, c.formats()); {
	case err != nil:
		return ""
	case f == htmlFormat, f == csvFormat, isBrowser(c.http.Header) && lastOf(c.query.Values, "_format") == "":
		return cookieToken(c.http)
	}
	return ""
}

// loginForm shows the form for a token.
func (api *API) loginForm(g *gin.Context) {
	api.showLogin(g, http.StatusOK, localPath(g.Query("next")), "")
}

// login keeps the token of the form in a cookie, if it is valid.
func (api *API) login(g *gin.Context) {
	r := g.Request
	r.Body = http.MaxBytesReader(g.Writer, r.Body, maxLogin)
	token, next := strings.TrimSpace(g.PostForm("token")), localPath(g.PostForm("next"))
	if api.isCrossSite(r) {
		api.sendProblem(g, htmlFormat, fault.New(fault.Forbidden, "log in from a page of this service"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), api.config.RequestTimeout)
	defer cancel()
	c := api.newCall(ctx, r, &route{}, &writerOf(g).request)
	defer c.leave()
	switch err := c.authenticateForm(token, g.Writer.Header()); {
	case fault.Is(err, fault.Unauthenticated):
		api.showLogin(g, http.StatusUnauthorized, next, "This token is not valid.")
	case err != nil:
		api.sendProblem(g, htmlFormat, err)
	default:
		api.setCookie(g, token, 0)
		g.Redirect(http.StatusSeeOther, api.basePath()+next)
	}
}

func (c *call) authenticateForm(token string, header http.Header) error {
	c.source = tokenSource{token: token}
	if err := c.enter(); err != nil {
		return err
	}
	if err := c.findTenant(); err != nil {
		return err
	}
	return c.api.authenticate(c, header)
}

// logout forgets the cookie.
func (api *API) logout(g *gin.Context) {
	if api.isCrossSite(g.Request) {
		api.sendProblem(g, htmlFormat, fault.New(fault.Forbidden, "log out from a page of this service"))
		return
	}
	api.setCookie(g, "", -1)
	g.Redirect(http.StatusSeeOther, api.basePath()+loginPath)
}

func (api *API) setCookie(g *gin.Context, token string, maxAge int) {
	http.SetCookie(g.Writer, &http.Cookie{ //nolint:gosec // secure over TLS; without it, such a cookie would not be sent
		Name: tokenName, Value: token, Path: api.basePath() + "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: strings.HasPrefix(api.base(g.Request), "https:"),
	})
}

// isCrossSite reports whether a browser says that the request comes from another site: by Sec-Fetch-Site, or, if it is too
// old for that, by Origin.
func (api *API) isCrossSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
		origin := r.Header.Get("Origin")
		_, host, _ := strings.Cut(origin, "://")
		base, err := url.Parse(api.base(r))
		return origin != "" && host != r.Host && (err != nil || !strings.EqualFold(host, base.Host))
	}
	return true
}

// localPath returns the path, with its query, if it is one of this service, and else the first page.
func localPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.ContainsAny(path, "\\\r\n\t") {
		return "/"
	}
	return path
}

func (api *API) showLogin(g *gin.Context, status int, next, message string) {
	setPageHeaders(g.Writer.Header())
	api.sendPage(g, status, page.Login{Frame: api.frame(g.Request, "Log in"), Next: next, Error: message}.Write)
}

func (api *API) sendPage(g *gin.Context, status int, write func(io.Writer) error) {
	var b bytes.Buffer
	_ = write(&b) // into memory: cannot fail
	g.Data(status, page.ContentType, b.Bytes())
}
