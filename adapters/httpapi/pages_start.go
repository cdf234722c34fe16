package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/page"
)

// fillStart fills the first page with what is to be done; false if nobody is logged in, or the records cannot be read now.
func (api *API) fillStart(g *gin.Context, index *page.Index) bool {
	if cookieToken(g.Request) == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(g.Request.Context(), api.config.RequestTimeout)
	defer cancel()
	c := api.newCall(ctx, g.Request, &route{method: http.MethodGet, verb: apidoc.Read, format: jsonFormat}, &writerOf(g).request)
	defer c.leave()
	if api.admit(c, g.Writer.Header()) != nil {
		return false
	}
	const few = 6
	add := func(title, path string, filters ...string) {
		s, _ := c.section(title, path, few, filters...)
		s.Title = title
		index.Sections = append(index.Sections, s)
	}
	add("Overdue", "/rest/invoice", "overdue", "1", "sort", "due_date")
	add("Due this week", "/rest/invoice", "due", "1", "due_from", c.today(0), "due_before", c.today(7), "sort", "due_date")
	add("Drafts", "/rest/invoice", "number", "draft-")
	add("Last payments", "/rest/payment", "sort", "-date,created_on")
	if other, a := c.beside("/rest/report/receivables", 0, htmlFormat); a != nil {
		index.Charts = other.reportPage(other.route.describe(), a, other.valuesOf(other.route.describe(), a)).Charts
	}
	return true
}
