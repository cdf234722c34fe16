package httpapi

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
)

// retryAfter is how many seconds a client should wait when the database is unavailable, and
// when it has too many requests in flight.
const retryAfter = "1"

func (api *API) sendProblem(g *gin.Context, f format, err error, verdicts ...problem.Verdict) {
	err = traffic.ShutdownError(g.Request.Context(), err)
	p, unexpected := problem.Of(err)
	p.RequestID, p.Verdicts = requestID(g), verdicts
	writerOf(g).refused(g.Request, p.Code, err)
	p.Rewrite(mask)
	if unexpected {
		writerOf(g).failed(g.Request.Context(), err)
	}
	header := g.Writer.Header()
	header["Vary"] = api.vary()
	if httpError, ok := errors.AsType[problem.Error](err); ok {
		setIf(header, "Allow", httpError.Allow)
		setIf(header, "Retry-After", httpError.RetryAfter)
		setIf(header, "Accept-Encoding", httpError.Encoding)
	}
	switch {
	case p.Status == http.StatusUnauthorized:
		header.Set("WWW-Authenticate", `Bearer realm="kontor"`)
	case p.Status == http.StatusServiceUnavailable && p.Type != problem.QueryTooSlow:
		header.Set("Retry-After", retryAfter)
	case p.Status == http.StatusTooManyRequests && header.Get("Retry-After") == "":
		header.Set("Retry-After", retryAfter)
	}
	if f == htmlFormat || isBrowser(g.Request.Header) && lastOf(g.Request.URL.Query(), "_format") == "" {
		api.sendProblemPage(g, p)
		return
	}
	if f == xmlFormat {
		g.Data(p.Status, problem.ContentTypeXML, p.XML())
		return
	}
	g.Data(p.Status, problem.ContentTypeJSON, p.JSON())
}
