package httpapi

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/page"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

const chromium = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

// twoUsers is a page of the list of users, all attributes.
func twoUsers(context.Context) (*readmodel.Rows, error) {
	rows := readmodel.NewRows(7) // with the version
	for _, cells := range [][]string{{"1", "7", "Mira <b>", "mira", "Mira", "", "m@example.org"}, {"1", "8", "Jonas", "jonas", "", "", ""}} {
		for _, cell := range cells {
			rows.Append([]byte(cell))
		}
	}
	rows.Total = 5
	return rows, nil
}

// contract 2.61
func TestPageOfAListHasFiltersOrderAndPages(t *testing.T) {
	w, _ := do(newGet("/rest/user?page=2&per_page=2&sort=-name", "Accept", chromium, "Access-Token", "good"), twoUsers, withBaseURL("https://example.org/office"))
	got := html.UnescapeString(w.Body.String())
	if w.Code != 200 || w.Header().Get("Content-Type") != page.ContentType || w.Header().Get("Content-Security-Policy") != page.Policy ||
		w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Referrer-Policy") != "same-origin" ||
		w.Header().Get("X-Pagination-Page-Count") != "3" {
		t.Errorf("got %d, %v", w.Code, w.Header())
	}
	for _, want := range []string{
		"<h1>Users</h1>", "5 records", `href="/office/rest/user?_format=csv&all=1&sort=-name"`,
		`<th scope="col" title="name" aria-sort="descending"><a href="/office/rest/user?per_page=2&sort=name">Name</a>`,
		`<a href="/office/rest/user?per_page=2&sort=username">Username</a>`,
		`href="/office/rest/user?page=1&per_page=2&sort=-name" rel="prev"`, "Page 2 of 3", `page=3&per_page=2&sort=-name" rel="next"`,
		`<a href="/office/rest/user/7">Mira <b></a>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
	if strings.Contains(w.Body.String(), "Mira <b>") {
		t.Error("a text is not escaped")
	}
	if strings.Contains(w.Body.String(), "<script") {
		t.Error("the page has a script")
	}
}

// contract 2.61
func TestPageOfARecordHasItsAttributes(t *testing.T) {
	w, _ := do(newGet("/rest/user/7?_format=html", "Access-Token", "good"), twoUsers)
	for _, want := range []string{"<h1>User Mira &lt;b&gt;</h1>", `<dt title="email">Email</dt><dd>m@example.org</dd>`, `href="#content">Skip`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the page lacks %s: %s", want, w.Body)
		}
	}
	if w.Header().Get("ETag") != "" {
		t.Errorf("the page has an ETag: %v", w.Header())
	}
}

// contract 2.61
func TestPageIsOnlyForThoseWhoAskForIt(t *testing.T) {
	for accept, want := range map[string]string{
		"text/html": "text/html", "text/html;q=0.1": "text/html", chromium: "text/html", "*/*": "application/json",
		"text/html, image/gif, image/jpeg, */*; q=0.2": "application/json", chromium + ",application/json": "application/json",
		"text/html, application/json;q=0.5": "application/json",
	} {
		w, _ := do(newGet("/rest/user", "Accept", accept, "Access-Token", "good"), twoUsers)
		if w.Code != 200 || !isMedia(w.Header().Get("Content-Type"), want) {
			t.Errorf("%s: got %d, %v", accept, w.Code, w.Header())
		}
	}
}

func formOf(path string, fields url.Values, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// contract 2.65, 2.68
func TestLoginKeepsTheTokenAndReturns(t *testing.T) {
	w, _ := do(newGet("/rest/user?sort=-name", "Accept", chromium), twoUsers)
	if w.Code != 303 || w.Header().Get("Location") != "/login?next=%2Frest%2Fuser%3Fsort%3D-name" {
		t.Fatalf("without a token: got %d, %v", w.Code, w.Header())
	}
	expired := newGet("/rest/user", "Accept", chromium)
	expired.AddCookie(&http.Cookie{Name: tokenName, Value: "bad"})
	if got, _ := do(expired, twoUsers); got.Code != 303 {
		t.Errorf("with the cookie of an invalid token: got %d", got.Code)
	}
	w, _ = do(newGet(w.Header().Get("Location")), twoUsers)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `name="next" value="/rest/user?sort=-name"`) {
		t.Fatalf("the form: got %d, %s", w.Code, w.Body)
	}
	for base, secure := range map[string]bool{"https://example.org/office": true, "http://example.org/office": false} {
		w, _ = do(formOf("/login", url.Values{"token": {" good "}, "next": {"/rest/user?sort=-name"}}), twoUsers, withBaseURL(base))
		cookies := w.Result().Cookies()
		if w.Code != 303 || w.Header().Get("Location") != "/office/rest/user?sort=-name" || len(cookies) != 1 {
			t.Fatalf("got %d, %v", w.Code, w.Header())
		}
		c := cookies[0]
		if c.Value != "good" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure != secure || c.Path != "/office/" || c.MaxAge != 0 {
			t.Errorf("the cookie is %+v", c)
		}
	}
	w, _ = do(formOf("/login", url.Values{"token": {"bad"}}), twoUsers)
	if w.Code != 401 || len(w.Result().Cookies()) != 0 || !strings.Contains(w.Body.String(), "not valid") {
		t.Errorf("a wrong token: got %d, %v, %s", w.Code, w.Header(), w.Body)
	}
	for _, site := range []string{"cross-site", "same-site"} {
		w, _ = do(formOf("/login", url.Values{"token": {"good"}}, "Sec-Fetch-Site", site), twoUsers)
		if w.Code != 403 || len(w.Result().Cookies()) != 0 {
			t.Errorf("from %s: got %d, %v", site, w.Code, w.Header())
		}
	}
	for origin, want := range map[string]int{
		"https://evil.example": 403, "null": 403, "http://evil.example:80": 403, "http://example.com": 303, "https://kontor.example": 303,
	} {
		r := formOf("/login", url.Values{"token": {"good"}}, "Origin", origin)
		if w, _ = do(r, twoUsers, withBaseURL("https://kontor.example/office")); w.Code != want {
			t.Errorf("of an old browser from %s: got %d, %v", origin, w.Code, w.Header())
		}
	}
}

// contract 2.68
func TestLoginReturnsToNoOtherSite(t *testing.T) {
	for next, want := range map[string]string{
		"": "/", "/": "/", "/rest/user?page=2": "/rest/user?page=2", "//evil.example": "/", "https://evil.example/": "/", "/\\evil.example": "/",
		"\\\\evil.example": "/", "javascript:alert(1)": "/", "rest": "/", "/\t/evil.example": "/",
	} {
		w, _ := do(formOf("/login", url.Values{"token": {"good"}, "next": {next}}), twoUsers)
		if got := w.Header().Get("Location"); w.Code != 303 || got != want {
			t.Errorf("%q: got %d, %q", next, w.Code, got)
		}
	}
}

// contract 2.66
func TestCookieOpensOnlyPagesAndCSV(t *testing.T) {
	statuses := func(method, path, accept string, headers ...string) int {
		r := httptest.NewRequest(method, path, nil)
		r.Header.Set("Accept", accept)
		r.AddCookie(&http.Cookie{Name: tokenName, Value: "good"})
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w, _ := do(r, twoUsers)
		return w.Code
	}
	for _, c := range []struct {
		method, path, accept string
		want                 int
	}{
		{"GET", "/rest/user", chromium, 200}, {"HEAD", "/rest/user", chromium, 200}, {"GET", "/rest/user/7", "text/html", 200},
		{"GET", "/rest/user?_format=csv", chromium, 200}, {"GET", "/rest/user", "text/csv", 200}, {"GET", "/rest/nowhere", chromium, 404},
		{"GET", "/rest/user", "*/*", 401}, {"GET", "/rest/user", "application/json", 401}, {"GET", "/rest/user?_format=json", chromium, 401},
		{"GET", "/rest/user?_format=xml", chromium, 401}, {"GET", "/rest/user/7?_format=csv", "*/*", 401}, {"POST", "/rest/user", chromium, 401},
		{"GET", "/rest/user?_format=&_format=json", chromium, 401}, {"GET", "/rest/user?_format=json&_format=", chromium, 200},
		{"DELETE", "/rest/user/7", chromium, 401}, {"PUT", "/rest/user/7?_format=html", chromium, 401},
	} {
		if got := statuses(c.method, c.path, c.accept); got != c.want {
			t.Errorf("%s %s (%s): got %d, want %d", c.method, c.path, c.accept, got, c.want)
		}
	}
	if got := statuses("GET", "/rest/user", chromium, "Access-Token", "bad"); got != 401 {
		t.Errorf("beside a wrong token: got %d", got)
	}
}

// contract 2.66
func TestResponsesToTheCookieAreNotStored(t *testing.T) {
	for _, path := range []string{"/rest/user?_format=csv", "/rest/user"} {
		r := newGet(path, "Accept", chromium)
		r.AddCookie(&http.Cookie{Name: tokenName, Value: "good"})
		if w, _ := do(r, twoUsers); w.Code != 200 || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %d, %v", path, w.Code, w.Header())
		}
	}
	if w, _ := do(newGet("/rest/user?_format=csv&auth_key=good"), twoUsers); w.Header().Get("Cache-Control") != "private, no-cache" {
		t.Errorf("a program's CSV has %v", w.Header())
	}
}

// contract 2.65
func TestLogoutForgetsTheToken(t *testing.T) {
	w, _ := do(formOf("/logout", nil), twoUsers)
	if c := w.Result().Cookies(); w.Code != 303 || w.Header().Get("Location") != "/login" || len(c) != 1 || c[0].MaxAge >= 0 || c[0].Value != "" {
		t.Errorf("got %d, %v", w.Code, w.Header())
	}
	if w, _ := do(formOf("/logout", nil, "Sec-Fetch-Site", "cross-site"), twoUsers); w.Code != 403 || len(w.Result().Cookies()) != 0 {
		t.Errorf("from another site: got %d, %v", w.Code, w.Header())
	}
	if w, _ := do(newGet("/logout"), twoUsers); w.Code != 405 {
		t.Errorf("GET: got %d", w.Code)
	}
}

// contract 2.61
func TestListsOfTheFirstPageNeedNoFilter(t *testing.T) {
	resources := []Resource{Users(nil), Contacts(nil, nil), Deals(nil, nil, nil), Invoices(nil, nil, nil)}
	resources = append(resources, Reports(nil, nil, nil, nil))
	bar, more := (&API{home: companyWith(resources...)}).listLinks()
	var home []string
	for _, link := range slices.Concat(bar, more) {
		home = append(home, link.URL)
	}
	if want := []string{"/rest/invoice", "/rest/deal", "/rest/report/receivables", "/rest/user"}; !slices.Equal(home, want) {
		t.Errorf("got %q", home)
	}
}

// contract 2.91
func TestStateOfAnInvoiceIsOneWord(t *testing.T) {
	for want, cells := range map[string]map[string]string{
		"draft":       {"id": "7", "number": "draft-7", "status.id": "1", "due_date": "2026-01-01"},
		"issued":      {"id": "7", "number": "draft-8", "status.id": "1", "due_date": "2026-05-02"},
		"overdue":     {"id": "7", "number": "R-7", "issued_on": "2026-01-01", "status.id": "1", "due_date": "2026-05-01"},
		"paid":        {"id": "7", "number": "R-7", "status.id": "3", "due_date": "2026-05-01"},
		"cancelled":   {"id": "7", "number": "R-7", "status.id": "4"},
		"credited":    {"id": "7", "number": "R-7", "status.id": "4", "issued_on": "2026-01-01"},
		"credit note": {"id": "8", "number": "C-7", "status.id": "4", "issued_on": "2026-01-01", "credits": "7"},
	} {
		if got := stateOf(func(path string) string { return cells[path] }, "2026-05-02"); got != want {
			t.Errorf("%v is %q", cells, got)
		}
	}
}

// contract 2.92
func TestPageOfAListHasAtMostAHundredRows(t *testing.T) {
	for asked, want := range map[readmodel.Page]readmodel.Page{
		{}: {Number: 1, Size: 100}, {Number: 3, Size: 500}: {Number: 3, Size: 100}, {Number: 3, Size: 20}: {Number: 3, Size: 20},
	} {
		if got := onOnePage(asked); got != want {
			t.Errorf("%v is %v, want %v", asked, got, want)
		}
	}
}
