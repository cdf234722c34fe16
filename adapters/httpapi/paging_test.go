package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// linkerOf is the linker of a request for a list.
func linkerOf(config Config, r *http.Request) linker {
	api := &API{config: config}
	source, _ := findToken(r, r.URL.Query())
	return api.linker(&call{http: r}, source)
}

func address(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

func TestLinkRepeatsTheQuery(t *testing.T) {
	const host = "http://example.com"
	for name, c := range map[string]struct {
		config Config
		r      *http.Request
		want   string
	}{
		"contract 1.22, from the request":                   {Config{}, newGet("/rest/client"), host + "/rest/client?page=7"},
		"contract 1.22, the configured one":                 {Config{BaseURL: address("https://crm.example.org/in/")}, newGet("/rest/client"), "https://crm.example.org/in/rest/client?page=7"},
		"contract 4.39":                                     {Config{}, newGet("/rest/client?name=%C3%84+%26&per_page=5&sort=-name"), host + "/rest/client?name=%C3%84+%26&per_page=5&sort=-name&page=7"},
		"contract 4.39, except the page":                    {Config{}, newGet("/rest/client?page=2&per_page=5&p%61ge=3"), host + "/rest/client?per_page=5&page=7"},
		"contract 4.83, except the cursor":                  {Config{}, newGet("/rest/client?cursor=a&per_page=5&curso%72=b&page=2"), host + "/rest/client?per_page=5&page=7"},
		"contract 5.6, a token of the query":                {Config{}, newGet("/rest/client?auth_key=kt_1&name=a"), host + "/rest/client?name=a&page=7&access-token=kt_1"},
		"contract 5.6, a repeated token":                    {Config{}, newGet("/rest/client?access-token=kt_1&auth_key=kt_1"), host + "/rest/client?page=7&access-token=kt_1"},
		"contract 5.6, a token of a header":                 {Config{}, newGet("/rest/client", "access-token", "kt_1"), host + "/rest/client?page=7"},
		"a token is escaped":                                {Config{}, newGet("/rest/client?auth_key=a%26b%2B"), host + "/rest/client?page=7&access-token=a%26b%2B"},
		"contract 4.39, characters that would end the Link": {Config{}, newGet("/rest/client?name=a>b\"<ä"), host + "/rest/client?name=a%3Eb%22%3C%C3%A4&page=7"},
		"pairs without name or value":                       {Config{}, newGet("/rest/client?&&expand=&x"), host + "/rest/client?expand=&x&page=7"},
	} {
		t.Run(name, func(t *testing.T) {
			got := string(linkerOf(c.config, c.r).appendPage(nil, 7, ""))
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			again := newGet(got).URL.Query()
			before := c.r.URL.Query()
			for _, q := range []url.Values{again, before} {
				for _, name := range []string{"page", "cursor", "auth_key", "access-token"} {
					q.Del(name)
				}
			}
			if diff := cmp.Diff(before, again); diff != "" {
				t.Errorf("followed, the query differs: -want +got\n%s", diff)
			}
		})
	}
}

// contract 4.2
func TestLocationHasNeitherQueryNorToken(t *testing.T) {
	got := linkerOf(Config{}, newGet("/rest/client?auth_key=kt_1&fields=name")).record(12)
	if want := "http://example.com/rest/client/12"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// contract 4.33, 4.37
func TestPagingHeadersHaveBothNames(t *testing.T) {
	h := http.Header{}
	paginate(h, linker{}, readmodel.Page{Number: 2, Size: 10}, &readmodel.Rows{Total: 21})
	for name, want := range map[string]string{"Total_Count": "21", "Page_Count": "3", "Current_Page": "2", "Per_Page": "10"} {
		for _, spelled := range []string{"X_Pagination_" + name, "X-Pagination-" + strings.ReplaceAll(name, "_", "-")} {
			if got := h[spelled]; len(got) != 1 || got[0] != want {
				t.Errorf("%s is %q, want %q", spelled, got, want)
			}
		}
	}
}

func TestLinkHeaderHasTheExistingPages(t *testing.T) {
	for name, c := range map[string]struct {
		page, total        int64
		rows               int    // on the page
		cursor, next, prev string // of the request, and of the rows
		want               string
	}{
		"contract 4.39, the first page":      {page: 1, total: 21, want: "self 1, first 1, next 2, last 3"},
		"contract 4.39, in the middle":       {page: 2, total: 21, want: "self 2, first 1, prev 1, next 3, last 3"},
		"contract 4.39, the last page":       {page: 3, total: 21, want: "self 3, first 1, prev 2, last 3"},
		"the only page":                      {page: 1, total: 10, want: "self 1, first 1, last 1"},
		"after the last page":                {page: 9, total: 21, want: "self 9, first 1, prev 3, last 3"},
		"contract 4.39, an empty list":       {page: 1, total: 0, want: "self 1, last 1"},
		"contract 4.39, after an empty list": {page: 5, total: 0, want: "self 5, last 1"},

		"contract 4.83, cursors":                         {page: 3, total: 50, rows: 10, next: "n", prev: "p", want: "self 3, first 1, prev 2&cursor=p, next 4&cursor=n, last 5"},
		"contract 4.83, escaped":                         {page: 1, total: 50, rows: 10, next: "n+/=>&", want: "self 1, first 1, next 2&cursor=n%2B%2F%3D%3E%26, last 5"},
		"contract 4.83, to the first page":               {page: 2, total: 50, rows: 10, cursor: "c", next: "n", prev: "p", want: "self 2, first 1, prev 1, next 3&cursor=n, last 5"},
		"by number, a full last page":                    {page: 5, total: 50, rows: 10, next: "n", prev: "p", want: "self 5, first 1, prev 4&cursor=p, last 5"},
		"by a cursor, a full last page":                  {page: 5, total: 50, rows: 10, cursor: "c", prev: "p", want: "self 5, first 1, prev 4&cursor=p, last 5"},
		"by a cursor, a last page with some rows":        {page: 5, total: 42, rows: 2, cursor: "c", prev: "p", want: "self 5, first 1, prev 4&cursor=p, last 5"},
		"contract 4.83, records added before the cursor": {page: 3, total: 90, cursor: "c", want: "self 3, first 1, prev 2, last 9"},
		"contract 4.83, some deleted before the cursor":  {page: 3, total: 22, rows: 10, cursor: "c", next: "n", prev: "p", want: "self 3, first 1, prev 2&cursor=p, next 4&cursor=n, last 3"},
		"contract 4.83, most deleted before the cursor":  {page: 9, total: 30, rows: 10, cursor: "c", next: "n", prev: "p", want: "self 9, first 1, prev 3&cursor=p, next 10&cursor=n, last 3"},
		"contract 4.83, the end of the list":             {page: 9, total: 30, rows: 4, cursor: "c", prev: "p", want: "self 9, first 1, prev 3&cursor=p, last 3"},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			rows := readmodel.NewRows(1)
			rows.Total, rows.Next, rows.Prev = c.total, c.next, c.prev
			for range c.rows {
				rows.Append(nil)
			}
			paginate(h, linker{before: "http://h/l?page="}, readmodel.Page{Number: c.page, Size: 10, Cursor: c.cursor}, rows)
			got := strings.NewReplacer(`<http://h/l?page=`, "", `"`, "").Replace(h.Get("Link"))
			var links []string
			for link := range strings.SplitSeq(got, ", ") {
				number, rel, _ := strings.Cut(link, ">; rel=")
				links = append(links, rel+" "+number)
			}
			if got := strings.Join(links, ", "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// contract 4.95
func TestLinkHeaderFitsTheBufferOfAProxy(t *testing.T) {
	rows := readmodel.NewRows(1)
	rows.Total, rows.Next, rows.Prev = 1000, strings.Repeat("n", 100), strings.Repeat("p", 100)
	for _, c := range []struct {
		query      int
		page       int64
		want       string
		exceeds3KB bool
	}{
		{query: 500, page: 5, want: "self first prev next last"},
		{query: 650, page: 5, want: "self prev next last"},
		{query: 800, page: 5, want: "self next last"},
		{query: 1200, page: 5, want: "next last"},
		{query: 2500, page: 5, want: "next"},
		{query: 5000, page: 5, want: "next", exceeds3KB: true},
		{query: 2500, page: 100, want: "last"},
		{query: 5000, page: 100, want: "last", exceeds3KB: true},
	} {
		h := http.Header{}
		l := linker{before: "http://h/l?name=" + strings.Repeat("x", c.query) + "&page="}
		paginate(h, l, readmodel.Page{Number: c.page, Size: 10}, rows)
		var rels []string
		for _, link := range strings.SplitAfter(h.Get("Link"), `; rel="`)[1:] {
			rel, _, _ := strings.Cut(link, `"`)
			rels = append(rels, rel)
		}
		if got := strings.Join(rels, " "); got != c.want {
			t.Errorf("with %d bytes page %d links %s, want %s", c.query, c.page, got, c.want)
		}
		if n := len(h.Get("Link")); n > 3072 != c.exceeds3KB {
			t.Errorf("with %d bytes Link has %d", c.query, n)
		}
	}
}
