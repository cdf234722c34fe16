package httpapi

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/page"
	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// inBar are the lists in the bar of pages, in its order.
var inBar = []string{"/rest/client", "/rest/invoice", "/rest/deal", "/rest/payment"}

// listLinks are the links to all lists that need no filter, and to the reports: those of the bar, and the others.
func (api *API) listLinks() (bar, more []page.Link) {
	bar = make([]page.Link, len(inBar)+1)
	for _, r := range api.home.routes {
		link := page.Link{URL: api.basePath() + r.path}
		switch {
		case r.isReport() && bar[len(inBar)].URL == "":
			link.Text = "Reports"
			bar[len(inBar)] = link
		case r.verb == apidoc.List && !r.needsFilter && !strings.Contains(r.path, ":id"):
			link.Text = listTitle(r.describe().Table)
			if place := slices.Index(inBar, r.path); place >= 0 {
				bar[place] = link
			} else {
				more = append(more, link)
			}
		}
	}
	return slices.DeleteFunc(bar, func(l page.Link) bool { return l.URL == "" }), more
}

// reportLinks are the links to all reports.
func (api *API) reportLinks() (links []page.Link) {
	for _, r := range api.home.routes {
		if r.isReport() {
			links = append(links, page.Link{Text: "Report: " + r.describe().Table.Name, URL: api.basePath() + r.path})
		}
	}
	return links
}

func listTitle(table *readmodel.Resource) string { return apidoc.Capital(apidoc.Plural(table.Name)) }

// basePath is the path of the public URL, before all paths of the service.
func (api *API) basePath() string {
	if u := api.config.BaseURL; u != nil {
		return strings.TrimRight(u.EscapedPath(), "/")
	}
	return ""
}

func (api *API) frame(r *http.Request, title string) page.Frame {
	return page.Frame{Title: title, Base: api.basePath(), Bar: api.bar, More: api.more, IsSignedIn: cookieToken(r) != ""}
}

func setPageHeaders(h http.Header) {
	h.Set("Content-Security-Policy", page.Policy)
	h.Set("Referrer-Policy", "same-origin") // paths have names and ids; "no-referrer" would send forms without Origin
	h.Set("Cache-Control", "no-store")      // nothing remains after logging out
}

// writePage writes the response to a read as a page.
func (c *call) writePage(buffer *bytes.Buffer, a *response) {
	o := c.route.describe()
	values := c.valuesOf(o, a)
	if c.route.isReport() {
		_ = c.reportPage(o, a, values).Write(buffer)
		return
	}
	if a.isList {
		_ = c.listPage(o, a, values).Write(buffer) // into memory: cannot fail
		return
	}
	_ = c.recordPage(o, a, values).Write(buffer)
}

// linkTo returns the linker for records of the resource.
func (c *call) linkTo(resource string) page.Linker {
	isOwn := c.route.verb == apidoc.Read || c.id == 0
	return func(a *readmodel.Attribute, id string) string {
		refers := a.Refers
		if refers == "" && a.Name == "id" && isOwn && c.api.templates["/rest/"+resource+"/:id"] != "" {
			refers = resource
		}
		if refers == "" {
			return ""
		}
		return c.api.basePath() + "/rest/" + refers + "/" + id
	}
}

func (c *call) listPage(o apidoc.Operation, a *response, values page.Values) page.List {
	title := listTitle(o.Table)
	if c.id != 0 {
		title += " – " + o.Tag + " " + strconv.FormatInt(c.id, 10)
	}
	l := page.List{
		Frame: c.api.frame(c.http, title), Total: a.rows.Total,
		Table: values.TableOf(title, a.rows),
		CSV:   c.with("_format", "csv", allParameter, "1", "per_page", ""),
	}
	c.linkLabels(&l.Table, a, values)
	c.name(&page.Value{Table: &l.Table})
	l.SortedBy = c.addSorts(l.Table.Columns, o.Table)
	l.Sums = c.sumsOf(o, a)
	l.Form = c.form(o)
	if a.page.Size == 0 {
		return l
	}
	l.Number, l.PageCount = a.page.Number, max(a.page.Count(a.rows.Total), 1)
	if number := min(l.Number-1, l.PageCount); number == 1 {
		l.Prev = c.with("page", "1")
	} else if number > 1 {
		l.Prev = c.with("page", strconv.FormatInt(number, 10), "cursor", a.rows.Prev)
	}
	if hasNext(a.page, a.rows) {
		l.Next = c.with("page", strconv.FormatInt(l.Number+1, 10), "cursor", a.rows.Next)
	}
	return l
}

// form returns the form for the parameters of the operation.
func (c *call) form(o apidoc.Operation) page.Form {
	f := page.Form{Path: c.api.basePath() + c.http.URL.EscapedPath(), Search: c.searchField(o)}
	for _, p := range o.Filters {
		field := c.filterOf(o.Tag, p)
		if p.Schema == apidoc.Day {
			field.Input, field.IsUsual = "date", strings.HasPrefix(p.Name, "date_") || !strings.Contains(p.Name, "_")
		}
		isSearch := p.Name == f.Search.By
		if !isSearch && (p.Name != sameAsName || field.Value != "") {
			f.Filters = append(f.Filters, field)
		}
		if field.Value != "" && !field.HasDefault {
			f.IsAsked = f.IsAsked || !field.IsUsual && !field.IsID && !isSearch
			f.Active = append(f.Active, page.Link{Text: apidoc.Words(p.Name) + ": " + c.wordsFor(field, p), URL: c.with(p.Name, "")})
		}
	}
	slices.SortStableFunc(f.Filters, func(a, b page.Filter) int { return strings.Compare(orderOf(a), orderOf(b)) })
	for _, name := range []string{"fields", "expand", "sort", "per_page", "_format"} {
		if value := lastOf(c.query.Values, name); value != "" {
			f.Kept = append(f.Kept, page.Pair{Name: name, Value: value})
		}
	}
	return f
}

// filterOf returns the field of a filter, with its choices if they are few.
func (c *call) filterOf(resource string, p apidoc.Parameter) page.Filter {
	value := lastOf(c.query.Values, p.Name)
	field := page.Filter{
		Pair: page.Pair{Name: p.Name, Value: value}, About: p.Description, Input: "text", IsID: p.Refers != "", HasDefault: c.route.isReport(),
	}
	switch {
	case page.Codes[resource+"."+p.Name] != nil:
		field.Choices = page.Codes[resource+"."+p.Name]
	case p.Schema == apidoc.Flag:
		field.Choices = []page.Choice{{Value: "1", Text: "yes"}}
	case slices.Contains([]string{"status", "deal-type", "invoice-type", "performer", "user"}, p.Refers):
		field.Choices = c.choicesOf(p.Refers)
	default:
		for _, choice := range p.Choices {
			field.Choices = append(field.Choices, page.Choice{Value: choice, Text: strings.ReplaceAll(choice, "_", " ")})
		}
	}
	isKnown := func(choice page.Choice) bool { return choice.Value == value }
	if value != "" && !slices.ContainsFunc(field.Choices, isKnown) {
		field.Choices = nil // such as several ids
	}
	field.IsUsual = field.Choices != nil
	return field
}

// wordsFor returns the words for the value of a filter.
func (c *call) wordsFor(field page.Filter, p apidoc.Parameter) string {
	for _, choice := range field.Choices {
		if choice.Value == field.Value {
			return choice.Text
		}
	}
	named := page.Value{Text: field.Value, Raw: field.Value, Refers: p.Refers}
	c.name(&named)
	return named.Text
}

// orderOf sorts the fields of a form: choices, dates, and then others.
func orderOf(f page.Filter) string {
	switch {
	case f.Choices != nil:
		return "2"
	case f.Input == "date":
		return "3"
	}
	return "4"
}

// choicesOf returns the records of a short list; nil if it is long.
func (c *call) choicesOf(resource string) (choices []page.Choice) {
	_, a := c.beside("/rest/"+resource, 0, htmlFormat, "per_page", strconv.Itoa(maxShown))
	if a == nil || a.rows.Total > maxShown {
		return nil
	}
	v := page.Values{Selection: a.selection, Link: func(*readmodel.Attribute, string) string { return "" }}
	for row := range a.rows.Len() {
		id := v.Cell(a.rows, row, "id")
		choices = append(choices, page.Choice{Value: id, Text: v.NameOf(a.rows, row)})
	}
	return choices
}

// linkLabels makes the names of records links to their pages; false if they have none.
func (c *call) linkLabels(t *page.Table, a *response, values page.Values) bool {
	id := slices.Index(a.selection.Paths, "id")
	label := slices.IndexFunc(t.Columns, func(column page.Column) bool {
		return slices.Contains(page.Labels, column.Name)
	})
	if id < 0 || label < 0 {
		return false
	}
	for row := range t.Rows {
		cell, _ := a.rows.Cell(row, id)
		t.Rows[row][label].URL = values.Link(&readmodel.Attribute{Name: "id", Kind: readmodel.ID}, string(cell))
	}
	return true
}

// addSorts adds the links that sort by a column, and reverse its order if it is the present one. It returns the attribute of the
// present order, if that has no column.
func (c *call) addSorts(columns []page.Column, table *readmodel.Resource) (other string) {
	sort := lastOf(c.query.Values, "sort")
	if sort == "" {
		sort = table.DefaultSort
	}
	first, _, _ := strings.Cut(sort, ",")
	name, isReversed := strings.CutPrefix(strings.TrimSpace(first), "-")
	other = name
	for i := range columns {
		sorting := slices.IndexFunc(table.Attributes, func(a readmodel.Attribute) bool {
			return a.Name == columns[i].Name && a.Sort != readmodel.Unsorted
		})
		if sorting < 0 {
			continue
		}
		order := columns[i].Name
		if order == name {
			other, columns[i].Order = "", "ascending"
			if isReversed != (table.Attributes[sorting].Sort == readmodel.NewestFirst) {
				columns[i].Order = "descending"
			}
			if !isReversed {
				order = "-" + order
			}
		}
		columns[i].Sort = c.with("sort", order)
	}
	return other
}

// with returns the URL of the first page of the list with these parameters, given as alternating names and values,
// of which an empty value removes the parameter. It has no token.
func (c *call) with(parameters ...string) string {
	query := url.Values{}
	for name, values := range c.query.Values {
		if name != "page" && name != "cursor" && !slices.Contains(tokenParameters, name) {
			query[name] = values
		}
	}
	for pair := range slices.Chunk(parameters, 2) {
		if query.Del(pair[0]); pair[1] != "" {
			query.Set(pair[0], pair[1])
		}
	}
	return c.api.basePath() + c.http.URL.EscapedPath() + "?" + query.Encode()
}

// sendProblemPage sends a problem as a page. A request for a page without a valid token is redirected to the
// form for one, which knows the way back.
func (api *API) sendProblemPage(g *gin.Context, p problem.Document) {
	r := g.Request
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	source, invalid := findToken(r, r.URL.Query())
	if p.Status == http.StatusUnauthorized && isRead && isBelowRest(r.URL.Path) && source.token == "" && invalid == nil {
		g.Redirect(http.StatusSeeOther, api.basePath()+loginPath+"?next="+url.QueryEscape(r.URL.RequestURI()))
		return
	}
	setPageHeaders(g.Writer.Header())
	shown := page.Problem{
		Frame:  api.frame(r, strconv.Itoa(p.Status)+" "+p.Title),
		Detail: p.Detail, Code: p.Code, RequestID: p.RequestID,
	}
	for _, e := range p.Errors {
		shown.Errors = append(shown.Errors, page.Field{Name: e.Field, Value: page.Value{Text: e.Message}})
	}
	if len(p.Items) > 0 {
		t := page.Table{Name: "items", Columns: []page.Column{{Name: "record"}, {Name: "field"}, {Name: "message"}}}
		for _, i := range p.Items {
			t.Rows = append(t.Rows, []page.Value{{Text: i.Record, URL: api.basePath() + i.Record}, {Text: i.Field}, {Text: i.Message}})
		}
		shown.Errors = append(shown.Errors, page.Field{Name: "items", Value: page.Value{Table: &t}})
	}
	api.sendPage(g, p.Status, shown.Write)
}
