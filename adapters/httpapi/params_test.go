package httpapi

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// paramsOf are the parameters of a query.
func paramsOf(t *testing.T, query string) *params {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return &params{query: values}
}

func (p *params) isRejected() bool { return fault.Is(p.err(), fault.Malformed) }

func TestParamsPage(t *testing.T) {
	paged := &readmodel.Resource{PerPage: 20}
	for name, c := range map[string]struct {
		table *readmodel.Resource
		query string
		want  readmodel.Page
	}{
		"the first":                                 {paged, "", readmodel.Page{Number: 1, Size: 20}},
		"contract 4.31":                             {paged, "page=3&per_page=500", readmodel.Page{Number: 3, Size: 500}},
		"contract 4.31, noRows values":              {paged, "page=&per_page=", readmodel.Page{Number: 1, Size: 20}},
		"contract 3.28, the last value":             {paged, "page=x&page=2", readmodel.Page{Number: 2, Size: 20}},
		"contract 4.83, a cursor":                   {paged, "page=3&cursor=abc", readmodel.Page{Number: 3, Size: 20, Cursor: "abc"}},
		"contract 4.83, without a page":             {paged, "cursor=abc", readmodel.Page{Number: 1, Size: 20, Cursor: "abc"}},
		"contract 4.86, an empty cursor":            {paged, "page=3&cursor=", readmodel.Page{Number: 3, Size: 20}},
		"contract 4.86, a cursor of maximum length": {paged, "cursor=" + strings.Repeat("c", 4096), readmodel.Page{Number: 1, Size: 20, Cursor: strings.Repeat("c", 4096)}},
		"contract 4.30, a cursor without paging":    {&readmodel.Resource{PerPage: 20, PagedOnRequest: true}, "cursor=abc", readmodel.Page{}},
		"the largest":                               {paged, "page=18446744073709551", readmodel.Page{Number: 18446744073709551, Size: 20}},
		"contract 4.19, no request for a page":      {&readmodel.Resource{PerPage: 20, PagedOnRequest: true}, "", readmodel.Page{}},
		"contract 4.19, on request by page":         {&readmodel.Resource{PerPage: 20, PagedOnRequest: true}, "page=2", readmodel.Page{Number: 2, Size: 20}},
		"contract 4.19, on request by per_page":     {&readmodel.Resource{PerPage: 20, PagedOnRequest: true}, "per_page=5", readmodel.Page{Number: 1, Size: 5}},
		"contract 4.31, an empty page":              {&readmodel.Resource{PerPage: 20, PagedOnRequest: true}, "page=", readmodel.Page{}},
	} {
		t.Run(name, func(t *testing.T) {
			p := paramsOf(t, c.query)
			if got := p.page(c.table); got != c.want || p.err() != nil {
				t.Errorf("got %+v, %v; want %+v", got, p.err(), c.want)
			}
		})
	}
	// contract 3.7, 4.31, 4.86
	for _, query := range []string{
		"page=0", "page=-1", "page=x", "page=1.0", "page=%2B1", "page=+1", "page=1e3", "page=18446744073709552", "page=9223372036854775807", "page=99999999999999999999",
		"per_page=0", "per_page=501", "per_page=x",
		"cursor=" + strings.Repeat("c", 4097), "cursor=%00", "cursor=%FF",
	} {
		p := paramsOf(t, query)
		if p.page(paged); !p.isRejected() {
			t.Errorf("%s is accepted", query)
		}
	}
}

// contract 3.26, 4.48
func TestParamsIDFilter(t *testing.T) {
	p := paramsOf(t, "a=9223372036854775807&b=")
	if got := idParam[user.ID](p, "a").Or(0); got != 9223372036854775807 {
		t.Errorf("a is %d", got)
	}
	for _, name := range []string{"b", "c"} {
		if idParam[user.ID](p, name).IsSet() {
			t.Errorf("%s filters something", name)
		}
	}
	if p.err() != nil {
		t.Errorf("rejected: %v", p.err())
	}
	for _, value := range []string{"0", "-1", "x", "1.0", "%2B1", "+1", "1+", "9223372036854775808"} {
		p := paramsOf(t, "a="+value)
		if idParam[user.ID](p, "a"); !p.isRejected() {
			t.Errorf("a=%s is accepted", value)
		}
	}
}

// contract 2.38, 4.103
func TestParamsTextFilter(t *testing.T) {
	longest := strings.Repeat("ä", 255)
	for _, value := range []string{"", longest, "50%_\\", "a b", " a\u00a0", longest + " "} {
		p := paramsOf(t, "a="+url.QueryEscape(value))
		if got := p.text("a"); got != strings.TrimSpace(value) || p.err() != nil {
			t.Errorf("%q is read as %q, %v", value, got, p.err())
		}
	}
	for _, value := range []string{longest + "a", "\x00", "\xff", "a\x1f", "\uFFFE"} {
		p := paramsOf(t, "a="+url.QueryEscape(value))
		if p.text("a"); !p.isRejected() {
			t.Errorf("%q is accepted", value)
		}
	}
}

// contract 9.26
func TestParamsFlag(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "0": false, "": false} {
		p := paramsOf(t, "a="+value)
		if got := p.flag("a"); got != want || p.err() != nil {
			t.Errorf("%q is read as %v, %v", value, got, p.err())
		}
	}
	for _, value := range []string{"2", "true", "yes", "-1"} {
		p := paramsOf(t, "a="+value)
		if p.flag("a"); !p.isRejected() {
			t.Errorf("%q is accepted", value)
		}
	}
}

func TestParamsNameEveryInvalidParameter(t *testing.T) {
	p := paramsOf(t, "page=0&user_id=x&name=%00")
	p.page(&readmodel.Resource{PerPage: 20})
	idParam[user.ID](p, "user_id")
	p.text("name")
	var names []string
	for _, field := range fault.As(p.err()).Fields {
		names = append(names, field.Name)
	}
	if diff := cmp.Diff([]string{"page", "user_id", "name"}, names); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// contract 4.28
func TestParamsEmptyListIsPresent(t *testing.T) {
	p := paramsOf(t, "a=&b=x&b=y")
	for name, want := range map[string]string{"a": "set ", "b": "set y", "c": "absent"} {
		got := "absent"
		if value, ok := p.list(name).Get(); ok {
			got = "set " + value
		}
		if got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
