package httpapi

import (
	"context"
	"net/http"
	"slices"

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
	add := func(title, path string, rows int, filters ...string) *page.Section {
		s, _ := c.section(title, path, rows, filters...)
		s.Title = title
		index.Sections = append(index.Sections, s)
		return &index.Sections[len(index.Sections)-1]
	}
	add("Overdue", "/rest/invoice", few, "overdue", "1", "sort", "due_date")
	soon := add("Due this week", "/rest/invoice", maxShown, "due", "1", "due_before", c.today(7), "sort", "-due_date")
	soon.Sums, soon.All.Text = page.Sums{}, "All before, with what is overdue" // for which there is no filter
	if due := soon.Table.Column("due_date"); due >= 0 {
		soon.Table.Rows = slices.DeleteFunc(soon.Table.Rows, func(row []page.Value) bool { return row[due].Raw < c.today(0) })
		slices.Reverse(soon.Table.Rows)
		soon.Table.Rows = soon.Table.Rows[:min(few, len(soon.Table.Rows))]
	}
	add("Drafts", "/rest/invoice", few, "number", "draft-")
	add("Last payments", "/rest/payment", few, "sort", "-date,created_on")
	if other, a := c.beside("/rest/report/receivables", 0, htmlFormat); a != nil {
		index.Charts = other.reportPage(other.route.describe(), a, other.valuesOf(other.route.describe(), a)).Charts
	}
	return true
}
