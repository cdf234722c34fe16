package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// linker makes the URLs of other pages of a list, and of new records.
type linker struct {
	list   string // URL of the list, without a query
	before string // URL up to the page number
	after  string // rest of the URL, after page and cursor
}

// linker repeats the query of the request, without page, cursor and token; a token of
// the query is added as access-token.
func (api *API) linker(c *call, source tokenSource) linker {
	base, path, raw := api.base(c.http), c.http.URL.EscapedPath(), c.http.URL.RawQuery
	var b strings.Builder
	b.Grow(len(base) + len(path) + len(raw) + len("?&page="))
	b.WriteString(base)
	b.WriteString(path)
	b.WriteByte('?')
	if raw != "" {
		for pair := range strings.SplitSeq(raw, "&") {
			if name := pairName(pair); pair != "" && name != "page" && name != "cursor" && !slices.Contains(tokenParameters, name) {
				writeEscaped(&b, pair)
				b.WriteByte('&')
			}
		}
	}
	b.WriteString("page=")
	l := linker{before: b.String()}
	l.list = l.before[:len(base)+len(path)]
	if source.inQuery {
		l.after = "&access-token=" + url.QueryEscape(source.token)
	}
	return l
}

// writeEscaped escapes characters that are invalid in a URL: a > would end the URL in
// Link.
func writeEscaped(b *strings.Builder, pair string) {
	const upperHex = "0123456789ABCDEF"
	for _, c := range []byte(pair) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"#<>\\^`{|}", c) >= 0 {
			b.Write([]byte{'%', upperHex[c>>4], upperHex[c&0xF]})
			continue
		}
		b.WriteByte(c)
	}
}

func (l linker) appendPage(buf []byte, number int64, cursor string) []byte {
	buf = append(buf, l.before...)
	buf = strconv.AppendInt(buf, number, 10)
	if cursor != "" {
		buf = append(buf, "&cursor="...)
		buf = append(buf, url.QueryEscape(cursor)...)
	}
	return append(buf, l.after...)
}

func (l linker) record(id int64) string {
	return l.list + "/" + strconv.FormatInt(id, 10)
}

// pageHeaders are the headers of a page with their two names.
var pageHeaders = [...]struct{ hyphened, underscored string }{
	{"X-Pagination-Total-Count", "X_Pagination_Total_Count"},
	{"X-Pagination-Page-Count", "X_Pagination_Page_Count"},
	{"X-Pagination-Current-Page", "X_Pagination_Current_Page"},
	{"X-Pagination-Per-Page", "X_Pagination_Per_Page"},
}

// paginate sets the headers of a page: the counts under both names, and Link. It does
// not use http.Header.Set, which would change the case of the names with underscores.
func paginate(h http.Header, l linker, page readmodel.Page, rows *readmodel.Rows) {
	texts := make([]string, len(pageHeaders)+1)
	for i, value := range [len(pageHeaders)]int64{rows.Total, page.Count(rows.Total), page.Number, int64(page.Size)} {
		texts[i] = strconv.FormatInt(value, 10)
		h[pageHeaders[i].hyphened] = texts[i : i+1 : i+1]
		h[pageHeaders[i].underscored] = texts[i : i+1 : i+1]
	}
	texts[len(pageHeaders)] = links(l, page, rows)
	h["Link"] = texts[len(pageHeaders):]
}

// maxLinks is the maximum length of a Link header with relations that a client can do without.
// A proxy such as nginx buffers all headers of a response in 4 KiB, unless configured
// otherwise, and replaces a response with larger ones by a 502; the others take less than 1 KiB.
const maxLinks = 3 << 10

// dispensable are the relations that a long Link header lacks, in the order in which they are
// left out. Without next, a client would take the page for the last one.
var dispensable = [...]string{"first", "prev", "self", "last"}

// links returns the Link header (RFC 8288).
func links(l linker, page readmodel.Page, rows *readmodel.Rows) string {
	var buffer [1024]byte // enough for most
	text := appendLinks(buffer[:0], l, page, rows, nil)
	for n := 1; len(text) > maxLinks && n <= len(dispensable); n++ {
		if shorter := appendLinks(nil, l, page, rows, dispensable[:n]); len(shorter) > 0 {
			text = shorter
		}
	}
	return string(text)
}

// appendLinks appends the links of a page, except for some relations.
func appendLinks(text []byte, l linker, page readmodel.Page, rows *readmodel.Rows, except []string) []byte {
	last := max(page.Count(rows.Total), 1)
	link := func(rel string, number int64, cursor string) {
		if slices.Contains(except, rel) {
			return
		}
		if len(text) > 0 {
			text = append(text, ", "...)
		}
		text = append(text, '<')
		text = l.appendPage(text, number, cursor)
		text = append(text, `>; rel="`...)
		text = append(text, rel...)
		text = append(text, '"')
	}
	link("self", page.Number, "")
	if rows.Total > 0 {
		link("first", 1, "")
	}
	if number := min(page.Number-1, last); rows.Total > 0 && number == 1 {
		link("prev", 1, "") // without a cursor: records may have been added before these rows
	} else if rows.Total > 0 && number > 1 {
		link("prev", number, rows.Prev)
	}
	if hasNext(page, rows) {
		link("next", page.Number+1, rows.Next)
	}
	link("last", last, "")
	return text
}

// hasNext reports whether there is a next page. After a cursor, the page number is not
// reliable, because records may have been added or deleted; the rows decide.
func hasNext(page readmodel.Page, rows *readmodel.Rows) bool {
	if page.Cursor == "" {
		return page.Number*int64(page.Size) < rows.Total
	}
	return rows.Next != ""
}
