package httpapi

import (
	"bytes"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/page"
	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// listLinks are the links to all lists that need no filter.
func (api *API) listLinks() (links []page.Link) {
	for _, r := range api.home.routes {
		if r.verb == apidoc.List && !r.needsFilter && !strings.Contains(r.path, ":id") {
			links = append(links, page.Link{Text: listTitle(r.describe().Table), URL: api.basePath() + r.path})
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
	return page.Frame{Title: title, Base: api.basePath(), Lists: api.lists, IsSignedIn: cookieToken(r) != ""}
}

func setPageHeaders(h http.Header) {
	h.Set("Content-Security-Policy", page.Policy)
	h.Set("Referrer-Policy", "same-origin") // paths have names and ids; "no-referrer" would send forms without Origin
	h.Set("Cache-Control", "no-store")      // nothing remains after logging out
}

// writePage writes the response to a read as a page.
func (c *call) writePage(buffer *bytes.Buffer, a *response) {
	o := c.route.describe()
	values := page.Values{Selection: a.selection, Link: c.linkTo(o.Tag)}
	if c.route.isReport() {
		_ = c.reportPage(o, a, values).Write(buffer)
		return
	}
	if a.isList {
		_ = c.listPage(o, a, values).Write(buffer) // into memory: cannot fail
		return
	}
	fields := values.FieldsOf(a.rows)
	title := apidoc.Capital(o.Table.Name) + " " + strconv.FormatInt(c.id, 10)
	if label := page.Label(fields, ""); label != "" && len(fields) > 1 {
		title += " – " + label
	}
	_ = page.Record{Frame: c.api.frame(c.http, title), Fields: fields, Related: c.related(o.Tag)}.Write(buffer)
}

// linkTo returns the linker for records of the resource.
func (c *call) linkTo(resource string) page.Linker {
	isOwn := c.route.verb == apidoc.Read || c.id == 0
	return func(a *readmodel.Attribute, id string) string {
		refers := a.Refers
		if a.Name == "id" && isOwn && c.api.templates["/rest/"+resource+"/:id"] != "" {
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
	c.addSorts(l.Table.Columns, a.selection.Nodes, o.Table)
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
	f := page.Form{Path: c.api.basePath() + c.http.URL.EscapedPath()}
	for _, p := range o.Filters {
		value := lastOf(c.query.Values, p.Name)
		pair := page.Pair{Name: p.Name, Value: value}
		f.Filters = append(f.Filters, page.Filter{Pair: pair, About: p.Description, Choices: p.Choices})
		f.IsAsked = f.IsAsked || value != ""
	}
	for _, name := range []string{"fields", "expand", "sort", "per_page", "_format"} {
		if value := lastOf(c.query.Values, name); value != "" {
			f.Kept = append(f.Kept, page.Pair{Name: name, Value: value})
		}
	}
	return f
}

// linkLabels makes the names of records links to their pages.
func (c *call) linkLabels(t *page.Table, a *response, values page.Values) {
	id := slices.Index(a.selection.Paths, "id")
	label := slices.IndexFunc(t.Columns, func(column page.Column) bool {
		return slices.Contains([]string{"name", "number", "title"}, column.Name)
	})
	if id < 0 || label < 0 {
		return
	}
	for row := range t.Rows {
		cell, _ := a.rows.Cell(row, id)
		t.Rows[row][label].URL = values.Link(&readmodel.Attribute{Name: "id", Kind: readmodel.ID}, string(cell))
	}
}

// addSorts adds the links that sort by a column, and reverse its order if it is the present one.
func (c *call) addSorts(columns []page.Column, nodes []readmodel.Node, table *readmodel.Resource) {
	sort := lastOf(c.query.Values, "sort")
	if sort == "" {
		sort = table.DefaultSort
	}
	first, _, _ := strings.Cut(sort, ",")
	name, isReversed := strings.CutPrefix(strings.TrimSpace(first), "-")
	for i, n := range nodes {
		if n.Sort == readmodel.Unsorted {
			continue
		}
		order := n.Name
		if n.Name == name {
			columns[i].Order = "ascending"
			if isReversed != (n.Sort == readmodel.NewestFirst) {
				columns[i].Order = "descending"
			}
			if !isReversed {
				order = "-" + order
			}
		}
		columns[i].Sort = c.with("sort", order)
	}
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

// related returns the links from the page of a record: to what is below it, to the lists that it filters, and
// from these back.
func (c *call) related(resource string) (links []page.Link) {
	id, own := strconv.FormatInt(c.id, 10), "/rest/"+resource+"/:id"
	add := func(text, path string) {
		links = append(links, page.Link{Text: text, URL: c.api.basePath() + strings.Replace(path, ":id", id, 1)})
	}
	if c.route.path != own {
		add(apidoc.Capital(resource)+" "+id, own)
		return links
	}
	for _, r := range c.api.home.routes {
		below, isBelow := strings.CutPrefix(r.path, own+"/")
		switch {
		case r.method != http.MethodGet, isBelow && strings.Contains(below, ":"):
		case isBelow && below == "document":
			add("Print view", r.path+"?as=html")
			add("PDF", r.path+"?as=pdf")
			add("PDF with electronic invoice", r.path+"?as=facturx")
		case isBelow:
			add(apidoc.Capital(strings.ReplaceAll(path.Base(below), "_", " ")), r.path)
		case r.verb == apidoc.List:
			o := r.describe()
			for _, p := range o.Filters {
				if p.Refers == resource && p.Name != "id" {
					add(listTitle(o.Table), r.path+"?"+p.Name+"="+id)
				}
			}
		}
	}
	return links
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
