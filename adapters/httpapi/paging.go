package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// linker writes the addresses of other pages of a list, and of new records.
type linker struct {
	base  string // scheme, host and the operator's path
	path  string
	pairs []string // the query, without the page and the token
	token string   // written into addresses; "" if it did not come in the query
}

func (api *API) linker(c *call, source tokenSource) linker {
	l := linker{base: api.base(c.http), path: c.http.URL.EscapedPath()}
	for _, pair := range queryPairs(c.http.URL.RawQuery) {
		if pair != "" && !isTokenParameter(pair) && pairName(pair) != "page" {
			l.pairs = append(l.pairs, followable(pair))
		}
	}
	if source.inQuery {
		l.token = source.token
	}
	return l
}

// followable escapes what no address may hold, though a query was sent with it:
// a > would end the address in a Link too early.
func followable(pair string) string {
	var b strings.Builder
	for _, c := range []byte(pair) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"#<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// page is the address of a page of the list.
func (l linker) page(number int64) string {
	var b strings.Builder
	b.WriteString(l.base)
	b.WriteString(l.path)
	b.WriteByte('?')
	for _, pair := range l.pairs {
		b.WriteString(pair)
		b.WriteByte('&')
	}
	b.WriteString("page=")
	b.WriteString(strconv.FormatInt(number, 10))
	if l.token != "" {
		b.WriteString("&access-token=")
		b.WriteString(url.QueryEscape(l.token))
	}
	return b.String()
}

// record is the address of a record of the list.
func (l linker) record(id int64) string {
	return l.base + l.path + "/" + strconv.FormatInt(id, 10)
}

// pageHeaders are the headers of a page.
var pageHeaders = []struct{ name, about string }{
	{"Total_Count", "How many records there are on all pages."},
	{"Page_Count", "How many pages there are."},
	{"Current_Page", "The page, from 1."},
	{"Per_Page", "How many records a page has."},
}

func underscored(name string) string { return "X_Pagination_" + name }

func hyphened(name string) string { return "X-Pagination-" + strings.ReplaceAll(name, "_", "-") }

// paginate writes the headers of a page: the counts under both their names,
// and the links of RFC 8288. The names with underscores are written past
// http.Header's methods, which would change their letters.
func paginate(h http.Header, l linker, page readmodel.Page, total int64) {
	last := max(page.Count(total), 1)
	for i, value := range []int64{total, page.Count(total), page.Number, int64(page.Size)} {
		text := []string{strconv.FormatInt(value, 10)}
		h[underscored(pageHeaders[i].name)] = text
		h[hyphened(pageHeaders[i].name)] = text
	}
	var links []string
	link := func(rel string, number int64) {
		links = append(links, "<"+l.page(number)+`>; rel="`+rel+`"`)
	}
	link("self", page.Number)
	if total > 0 {
		link("first", 1)
	}
	if total > 0 && page.Number > 1 {
		link("prev", min(page.Number-1, last))
	}
	if page.Number < last {
		link("next", page.Number+1)
	}
	link("last", last)
	h.Set("Link", strings.Join(links, ", "))
}
