package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// contract 4.51, 4.52
func TestETagHasVersionAndHashOfTheBody(t *testing.T) {
	rows := readmodel.NewRows(1)
	rows.Append([]byte("3"))
	a := &response{rows: rows, selection: &readmodel.Selection{Paths: []string{"version"}, Version: 0}}
	tag := tagOf(a, []byte("body"))
	if v, ok := versionOf(tag); !ok || v != 3 {
		t.Errorf("the tag %s is of version %d, %v", tag, v, ok)
	}
	if other := tagOf(a, []byte("another")); other == tag {
		t.Errorf("another body has the tag %s too", tag)
	}
	if knownTag(tag, newGet("/")) != "" {
		t.Error("the tag matches without If-None-Match")
	}
	compressed := tag[:len(tag)-1] + `-gzip"`
	for header, want := range map[string]string{
		tag: tag, "W/" + tag: tag, `"1-0", ` + tag: tag, "*": tag, compressed: compressed, `W/` + compressed: compressed,
		"": "", `"3-0"`: "", `"3"`: "", tag[:len(tag)-1]: "", tag[1 : len(tag)-1]: "", tag[:len(tag)-1] + "-gzip": "",
	} {
		if got := knownTag(tag, newGet("/", "If-None-Match", header)); got != want {
			t.Errorf("If-None-Match: %s matches %q, want %q", header, got, want)
		}
	}
	post := newGet("/", "If-None-Match", tag)
	post.Method = http.MethodPost
	if knownTag(tag, post) != "" {
		t.Error("the response to a write is a 304")
	}
}

// contract 4.53, 4.54
func TestVersionsOfTagsAreParsed(t *testing.T) {
	for name, c := range map[string]struct {
		headers []string
		want    []int64
	}{
		"contract 4.54, none":                  {nil, nil},
		"contract 4.53, a tag":                 {[]string{`"3-5f0c2a91"`}, []int64{3}},
		"contract 4.53, a weak tag":            {[]string{`W/"3-5f0c2a91"`}, []int64{3}},
		"contract 4.53, any version":           {[]string{"*"}, []int64{}},
		"any version among others":             {[]string{`"3-x"`, "*"}, []int64{3}},
		"a tag of a compressed response":       {[]string{`"3-5f0c2a91-gzip"`}, []int64{3}},
		"several, in their order":              {[]string{`"3-x", W/"12-y"`, `"4-z"`}, []int64{3, 4, 12}},
		"a repeated tag":                       {[]string{`"3-x", "3-y"`}, []int64{3}},
		"a version without a hash":             {[]string{`"3"`}, []int64{3}},
		"a tag without a version":              {[]string{`"abc"`}, []int64{}},
		"a tag without a version among others": {[]string{`"abc", "3-x"`}, []int64{3}},
		"an empty header":                      {[]string{""}, []int64{}},
		"a number that is too large":           {[]string{`"99999999999999999999-x"`}, []int64{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, isAny := versionsIn(c.headers)
			if diff := cmp.Diff(c.want, got); diff != "" || isAny != strings.Contains(name, "any version") {
				t.Errorf("%q names any: %t; -want +got\n%s", c.headers, isAny, diff)
			}
		})
	}
}

// reusing is a response writer that takes the memory of released rows whenever a header is set, as other
// requests may at any time.
type reusing struct{ http.ResponseWriter }

func (w reusing) Header() http.Header {
	readmodel.NewRows(1)
	return w.ResponseWriter.Header()
}

// contract 4.33
func TestPagingHeadersAreOfTheRowsOfTheRequest(t *testing.T) {
	users := stubUsers(func(context.Context) (*readmodel.Rows, error) {
		rows := aUser("Ada")
		rows.Total = 21
		return rows, nil
	})
	handler := New(Config{DefaultFormat: AlwaysJSON, RequestTimeout: 10 * time.Second}, companyWith(Users(users)),
		func(context.Context) error { return nil }, slog.New(slog.DiscardHandler))
	w := httptest.NewRecorder()
	handler.ServeHTTP(reusing{w}, newGet("/rest/user?auth_key=good&fields=name&page=1&per_page=10"))
	if got := w.Header().Get("X-Pagination-Total-Count"); got != "21" {
		t.Errorf("the total is %q, want 21\n%s", got, w.Body)
	}
}
