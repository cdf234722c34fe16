package api_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

var (
	// parameters are those of every path; filters those of one.
	parameters = []string{"fields", "sort", "expand", "page", "per_page", "_format", "cursor"}
	filters    = map[string][]string{
		"/rest/client": {
			"user_id", "type", "name", "search", "email", "count_deals", "count_offers", "count_contracts", "count_invoices",
		},
		"/rest/contact":  {"client_id", "deal_id"},
		"/rest/deal":     {"client_id", "user_id", "status_id", "type_id", "name"},
		"/rest/offer":    {"deal_id", "client_id", "number"},
		"/rest/contract": {"deal_id", "client_id", "number"},
		"/rest/invoice": {
			"number", "company", "client_id", "deal_id", "user_id", "type_id", "status_id", "year", "month", "paid_year", "paid_month",
		},
		"/rest/invoice-items": {"invoice_id", "name"},
		"/rest/rule":          {"name", "resource", "mode", "source"},
	}
	// plausible are values that are valid for some parameter or attribute.
	plausible = []string{
		"", "0", "1", "2", "3", "5", "-1", "+1", "01", "1.5", "1e3", "1E-7", "-0", "999999999999.9999", "1000000000000", "0.0000001", "9223372036854775807",
		"9223372036854775808", "18446744073709551615", "18446744073709551", "18446744073709552", "500", "1e999999999", "NaN", "Infinity", "true", "false", "null", "2024", "0000", "9999",
		"2024-03-09", "0000-01-01", "9999-12-31 23:59:59", "2024-02-30", "2024-03-09T16:05:00+09:00", "json", "xml", "a@example.org", "A <a@example.org>", "#00ff00",
		"%", "_", `\`, "'", "\"", "Müller", "\uFFFD", "\u0085", "\u2028", "\U0010FFFF", "a\tb", "a\nb", "]]>", "<a>", "&amp;", "{", "[",
	}
	octet = rapid.Byte()
)

// writable are the attributes of writes to a path.
type writable struct {
	needs      fields   // required attributes
	attributes []string // in reads or writes of the resource
}

// writes are the records that can be sent, by path.
var writes = map[string]writable{
	"/rest/status":        writableAttributes(readmodel.Statuses, fields{"name": "x"}),
	"/rest/deal-type":     writableAttributes(readmodel.DealTypes, fields{"name": "x"}),
	"/rest/invoice-type":  writableAttributes(readmodel.InvoiceTypes, fields{"title": "x"}, "name"),
	"/rest/performer":     writableAttributes(readmodel.Performers, fields{"name": "x"}),
	"/rest/client":        writableAttributes(readmodel.Clients, fields{"name": "x", "type": "1"}),
	"/rest/contact":       writableAttributes(readmodel.Contacts, fields{"name": "x", "client_id": "1"}, "deal_id"),
	"/rest/deal":          writableAttributes(readmodel.Deals, fields{"name": "x"}),
	"/rest/offer":         writableAttributes(readmodel.Offers, fields{"number": "x", "deal_id": "1"}),
	"/rest/contract":      writableAttributes(readmodel.Contracts, fields{"number": "x", "deal_id": "1"}),
	"/rest/invoice":       writableAttributes(readmodel.Invoices, fields{"number": "x", "date": "2024-03-09", "performer_id": "1", "client_id": "1", "type_id": "1"}, "items", "items", "status_id"),
	"/rest/invoice-items": writableAttributes(readmodel.InvoiceItems, fields{"name": "x", "invoice_id": "1"}, "items_count", "item_price", "items_total_price"),
	"/rest/payment":       writableAttributes(readmodel.Payments, fields{"performer_id": "1", "date": "2024-03-09", "amount": "7.10"}, "invoice_id", "allocate"),
	"/rest/rule":          ruleAttributes,
	"/rest/rule-trial":    ruleAttributes,
}

var ruleAttributes = writableAttributes(readmodel.Rules, fields{"name": "x", "resource": "deal", "on": []string{"update"}, "expression": "true", "message": "x"})

// attributes are those of all resources.
var attributes = everyAttribute()

func writableAttributes(table *readmodel.Resource, needs fields, more ...string) writable {
	all := append(slices.Sorted(maps.Keys(needs)), more...)
	for _, a := range table.Attributes {
		all = append(all, a.Name)
	}
	return writable{needs, all}
}

func everyAttribute() []string {
	names := []string{"username", "fname", "lname", "response", "item", "bogus"}
	for _, w := range writes {
		names = append(names, w.attributes...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// drawRequest draws a request for one of the routes, or for a path close to it.
func drawRequest(t *rapid.T, s *service, routes []apidoc.Operation) request {
	route := rapid.SampledFrom(routes).Draw(t, "route")
	q := request{method: route.Method, header: http.Header{}}
	q.path = strings.ReplaceAll(route.Path, "{id}", drawPathID(t))
	switch rapid.IntRange(0, 19).Draw(t, "path") {
	case 18:
		q.path += "/"
	case 19:
		q.path += "/" + url.PathEscape(drawText(t, "more path"))
	}
	if rapid.IntRange(0, 5).Draw(t, "other method") == 5 {
		q.method = rapid.SampledFrom([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"}).Draw(t, "method")
	}
	q.query = drawQuery(t, slices.Concat(filters[strings.TrimSuffix(route.Path, "/{id}")], parameters))
	drawHeader(t, s, q.header)
	if q.method == http.MethodPost || q.method == http.MethodPut || q.method == http.MethodPatch || rapid.IntRange(0, 9).Draw(t, "body") == 9 {
		q.body = drawBody(t, writes[strings.TrimSuffix(route.Path, "/{id}")], q.header)
	}
	return q
}

// drawText draws a text: a plausible value, an invalid text, any characters, or any
// bytes.
func drawText(t *rapid.T, what string) string {
	switch rapid.IntRange(0, 9).Draw(t, what+" kind") {
	case 5:
		return rapid.SampledFrom([]string{"\x00", "a\x01", "\xff", "\xed\xa0\x80", "\uFFFE", "\uFFFF"}).Draw(t, what)
	case 6:
		return string(rapid.SliceOfN(octet, 0, 12).Draw(t, what))
	case 7:
		return rapid.StringN(0, 12, -1).Draw(t, what)
	case 8:
		return strings.Repeat(rapid.SampledFrom(plausible).Draw(t, what), rapid.SampledFrom([]int{2, 70, 260, 1000}).Draw(t, what+" times"))
	case 9:
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(attributes), 1, 4).Draw(t, what), rapid.SampledFrom([]string{",", ",-", ".", " , "}).Draw(t, what+" joined"))
	}
	return rapid.SampledFrom(plausible).Draw(t, what)
}

func drawPathID(t *rapid.T) string {
	if rapid.IntRange(0, 2).Draw(t, "odd id") == 2 {
		return url.PathEscape(drawText(t, "id"))
	}
	return fmt.Sprint(rapid.IntRange(1, 6).Draw(t, "id"))
}

// drawQuery draws parameters, mostly with these names, escaped or not.
func drawQuery(t *rapid.T, names []string) string {
	var b strings.Builder
	for range rapid.IntRange(0, 5).Draw(t, "parameters") {
		if b.Len() > 0 {
			b.WriteString(rapid.SampledFrom([]string{"&", "&", "&", "&", ";", "&&"}).Draw(t, "separator"))
		}
		name := rapid.SampledFrom(names).Draw(t, "parameter")
		switch rapid.IntRange(0, 14).Draw(t, "other parameter") {
		case 13:
			name = rapid.SampledFrom([]string{"auth_key", "access-token"}).Draw(t, "parameter of a token")
		case 14:
			name = drawText(t, "parameter name")
		}
		value := drawText(t, name)
		if rapid.IntRange(0, 3).Draw(t, "raw") == 3 {
			b.WriteString(headerSafe(name+"="+value, "#"))
			continue
		}
		b.WriteString(url.QueryEscape(name) + "=" + url.QueryEscape(value))
	}
	switch rapid.IntRange(0, 11).Draw(t, "more parameters") {
	case 9:
		b.WriteString("&" + drawPage(t))
	case 10:
		b.WriteString("&access-token=" + url.QueryEscape(drawToken(t)))
	case 11:
		value := rapid.SampledFrom([]string{"%", "_", `\`, "a", "\u00df", "[", "(a+)+"}).Draw(t, "long value")
		b.WriteString("&" + rapid.SampledFrom(names).Draw(t, "long parameter") + "=" + url.QueryEscape(strings.Repeat(value, 65_536/len(value))))
	}
	return b.String()
}

// drawPage draws a page at the limit of the page numbers, or one with a made-up
// cursor.
func drawPage(t *rapid.T) string {
	sort := rapid.SampledFrom([]string{"created_at", "created_on", "date", "paid_on", "name", "number", "total_price", "count", "id"}).Draw(t, "sort of a page")
	if rapid.Bool().Draw(t, "far page") {
		return "sort=" + sort + "&per_page=500&page=" + rapid.SampledFrom([]string{"18446744073709551", "9223372036854775", "2"}).Draw(t, "far page's number")
	}
	list := rapid.SampledFrom([]string{"clients", "deals", "invoices", "invoice_lines", "offers", "contracts", "performers", "contacts"}).Draw(t, "list")
	key := rapid.SampledFrom([]string{
		"2024-03-09 16:05:00+00", "0000-01-01 00:00:00", "0000-01-01 00:00:00+00", "2024-03-09 16:05:00,5", "2024-03-09 16:05:00+23", "9999-12-31 23:59:59-15:59:59", "1", "-1.5000", "1e400", "t", "\xff", "\x00", "Acme", "",
	}).Draw(t, "key")
	parts := []string{
		list + rapid.SampledFrom([]string{"+", "-"}).Draw(t, "direction") + sort,
		rapid.SampledFrom([]string{"a", "b"}).Draw(t, "side"),
		rapid.SampledFrom([]string{"1", "-1", "9223372036854775807", "x"}).Draw(t, "id of a place"),
		rapid.SampledFrom([]string{"=", "0"}).Draw(t, "null") + key,
	}
	return "sort=" + sort + "&cursor=" + base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, "\x1f")))
}

// drawToken draws a text of the length of a token.
func drawToken(t *rapid.T) string {
	part := func(n int) string {
		return string(rapid.SliceOfN(octet, n, n).Draw(t, "part of a token"))
	}
	if rapid.Bool().Draw(t, "octets") {
		return "kt_" + part(12) + "_" + part(43)
	}
	return "kt_0123456789ab_" + part(43)
}

// headerSafe returns the text without the bytes that HTTP does not allow in a URL or a
// header, and without the given ones.
func headerSafe(s, without string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c > ' ' && c != 0x7f && !strings.ContainsRune(without, rune(c)) {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// drawHeader draws the headers that the service reads. Most requests have a valid
// token, so that they get past authentication.
func drawHeader(t *rapid.T, s *service, h http.Header) {
	token := s.tokens[rapid.SampledFrom([]string{"admin", "admin", "manager", "viewer"}).Draw(t, "who")]
	h.Set("Authorization", "Bearer "+token)
	for _, odd := range []struct {
		name   string
		values []string
	}{
		{"Accept", []string{"application/json", "application/xml", "text/xml;q=0.5, */*;q=0.1", "text/html", "*/*", "application/*;q=0", ";q=,", "a/b;q=x"}},
		{"If-Match", []string{"*", `"1-a"`, `W/"2-b", "1"`, `"9223372036854775808-"`, `"`, ","}},
		{"If-None-Match", []string{"*", `"1-a"`, `W/`, `"`, ","}},
		{"Idempotency-Key", []string{"k", "a b", strings.Repeat("k", 256)}},
		{"Access-Token", []string{token, token, token, "kt_a_b"}},
		{"Authorization", []string{"Bearer", "Bearer kt_000000000000_x", "Basic " + base64.StdEncoding.EncodeToString([]byte(token+":")), "Basic x", "Digest a"}},
	} {
		if rapid.IntRange(0, 11).Draw(t, odd.name+"?") < 10 {
			continue
		}
		value := rapid.SampledFrom(odd.values).Draw(t, odd.name)
		if rapid.IntRange(0, 3).Draw(t, "anything") == 3 {
			value = headerSafe(drawText(t, odd.name), "")
		}
		h.Set(odd.name, value)
	}
}
