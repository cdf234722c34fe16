package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

// The fuzz targets of the files fuzz* parse requests. With the other tests, each runs its
// seeds and some random mutations of them. To run one for longer:
//
//	go test ./adapters/httpapi -run '^$' -fuzz FuzzIfMatch -fuzztime 5m

// contract 2.3
func FuzzFormatNegotiation(f *testing.F) {
	var cases [][]any
	for _, accept := range []string{"", "*/*", "application/json", "text/xml;q=0.3, application/*", "application/json;q=0, */*", "text/html", ";", ",", "a/b;q=2", "application/json;q=NaN", "application/xml;q=1e-9"} {
		cases = append(cases, []any{accept, ""}, []any{accept, "xml"}, []any{accept, "yaml"})
	}
	fuzzseed.Add(f, cases...)
	f.Fuzz(func(t *testing.T, accept, name string) {
		r := &http.Request{Header: http.Header{"Accept": {accept}}}
		for _, byDefault := range []format{jsonFormat, xmlFormat} {
			got, err := negotiate(r, url.Values{"_format": {name}}, []format{byDefault, jsonFormat, xmlFormat})
			switch rejected, ok := errors.AsType[problem.Error](err); {
			case err == nil && got != jsonFormat && got != xmlFormat:
				t.Errorf("neither a format nor an error")
			case err == nil && name != "" && got != map[string]format{"json": jsonFormat, "xml": xmlFormat}[name]:
				t.Errorf("_format=%s is %d", name, got)
			case err != nil && (!ok || rejected.Status != http.StatusNotAcceptable || got != jsonFormat):
				t.Errorf("got format %d and error %v", got, err)
			}
			if err == nil || name != "" || strings.Contains(strings.ToLower(accept), "application") || strings.Contains(strings.ToLower(accept), "text") || strings.Count(accept, ",") > maxRanges-2 {
				continue
			}
			r.Header.Add("Accept", "application/json;q=0.1")
			if got, err := negotiate(r, nil, []format{byDefault, jsonFormat, xmlFormat}); got != jsonFormat || err != nil {
				t.Errorf("with JSON at the end of %q: %d, %v", accept, got, err)
			}
		}
	})
}

// contract 4.31, 4.103
func FuzzParameters(f *testing.F) {
	fuzzseed.Texts(f, "", "0", "1", "500", "501", "-1", "+1", "01", "1e2", "18446744073709551", "18446744073709552", "9223372036854775807", "9223372036854775808", "\x00", "\xff", "ä", strings.Repeat("ä", 256), "0024", "2024")
	f.Fuzz(func(t *testing.T, value string) {
		names := []string{"page", "per_page", "text", "flag", "id", "year", "month"}
		query := url.Values{}
		for _, name := range names {
			query.Set(name, value)
		}
		p := &params{query: query}
		page := p.page(readmodel.Clients)
		if offset := (page.Number - 1) * int64(page.Size); page.Number < 1 || page.Size < 1 || page.Size > readmodel.MaxPerPage || offset < 0 {
			t.Errorf("the page is %+v", page)
		}
		if text := p.text("text"); !utf8.ValidString(text) || utf8.RuneCountInString(text) > maxFilter || strings.Contains(text, "\x00") {
			t.Errorf("the text is %q", text)
		}
		id, isID := idParam[int64](p, "id").Get()
		year, isYear := yearParam(p, "year").Get()
		month, isMonth := monthParam(p, "month").Get()
		if isID && id < 1 || isYear && (year < 0 || year > 9999) || isMonth && (month < 1 || month > 12) {
			t.Errorf("the id is %d, the year %d, the month %d", id, year, month)
		}
		p.flag("flag")
		if err := p.err(); err != nil && !fault.Is(err, fault.Malformed) {
			t.Errorf("got error %v", err)
		}
		for _, wrong := range p.wrong {
			if value == "" || !slices.Contains(names, wrong.Name) {
				t.Errorf("%q: %+v is wrong", value, wrong)
			}
		}
	})
}

// contract 4.39, 5.6
func FuzzLinkRepeatsQuery(f *testing.F) {
	fuzzseed.Texts(f, "", "a=b", "page=7&name=x", "name=%3E%2C&sort=-name", "name=<>\"{}|^`\\ \xff", "auth_key=t&a=1&access-token=t", "%61uth_key=t", "p%61ge=1", "cursor=x&curso%72=y", "a=1;b=2", "%zz=1", "a&&b", "&", "fields=id&fields=")
	f.Fuzz(func(t *testing.T, query string) {
		api := &API{}
		r := &http.Request{Host: "example.org", URL: &url.URL{Path: "/rest/client", RawQuery: query}}
		link := string(api.linker(&call{http: r}, tokenSource{token: "kt_a+b", inQuery: true}).appendPage(nil, 3, "c+/"))
		if strings.Trim(link, "!#$%&'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]_abcdefghijklmnopqrstuvwxyz~") != "" {
			t.Fatalf("%q is invalid in a header", link)
		}
		followed, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		want := r.URL.Query()
		want.Del("auth_key")
		want.Set("access-token", "kt_a+b")
		want.Set("page", "3")
		want.Set("cursor", "c+/")
		if diff := cmp.Diff(want, followed.Query()); diff != "" {
			t.Errorf("%q leads to %s: %s", query, link, diff)
		}
	})
}

// contract 4.53
func FuzzIfMatch(f *testing.F) {
	fuzzseed.Texts(f, "", "*", `"1-a"`, `W/"1-a"`, `"1-a", "2-b"`, `"1`, "1", `"-1-a"`, `"9223372036854775808-a"`, ",", `"a"`, `"1-a", *`)
	f.Fuzz(func(t *testing.T, header string) {
		versions, isAny := versionsIn([]string{header})
		if want := slices.ContainsFunc(strings.Split(header, ","), func(tag string) bool { return strings.TrimSpace(tag) == "*" }); isAny != want {
			t.Errorf("%q is parsed as %v", header, versions)
		}
		for _, v := range versions {
			if !strings.Contains(header, strconv.FormatInt(v, 10)) {
				t.Errorf("%q names no version %d", header, v)
			}
		}
	})
}
