package httpapi

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// contract 3.5
func TestBrowserGetsErrorsAsAPage(t *testing.T) {
	for name, c := range map[string]struct {
		path, accept string
		status       int
		media        string
	}{
		"a browser":                        {"/rest/user?auth_key=good&sort=nope", chromium, 400, "text/html"},
		"a browser with a wrong token":     {"/rest/user?auth_key=bad", chromium, 401, "text/html"},
		"a browser at a wrong path":        {"/nope", chromium, 404, "text/html"},
		"a browser at a wrong list":        {"/rest/usr?auth_key=good", chromium, 404, "text/html"},
		"only HTML":                        {"/rest/user?auth_key=good&sort=nope", "text/html", 400, "text/html"},
		"a page by _format":                {"/rest/user?auth_key=good&sort=nope&_format=html", "*/*", 400, "text/html"},
		"a browser that asks for XML":      {"/rest/user?auth_key=good&sort=nope&_format=xml", chromium, 400, "application/problem+xml"},
		"a program":                        {"/rest/user?auth_key=good&sort=nope", "*/*", 400, "application/problem+json"},
		"a program that reads JSON too":    {"/rest/user?auth_key=good&sort=nope", chromium + ",application/json", 400, "application/problem+json"},
		"the default of HttpURLConnection": {"/rest/user?auth_key=good&sort=nope", "text/html, image/gif, image/jpeg, */*; q=0.2", 400, "application/problem+json"},
		"a program that rejects HTML":      {"/rest/user?auth_key=good&sort=nope", "text/html;q=0, application/xhtml+xml;q=0, */*", 400, "application/problem+json"},
	} {
		w, _ := do(newGet(c.path, "Accept", c.accept, "X-Request-Id", "order-4711"), noRows)
		if w.Code != c.status || !isMedia(w.Header().Get("Content-Type"), c.media) || w.Header().Get("Vary") != "Accept, Accept-Encoding" {
			t.Errorf("%s: got %d, %v", name, w.Code, w.Header())
		}
		if c.media == "text/html" && (!strings.Contains(w.Body.String(), "order-4711") || w.Header().Get("Content-Security-Policy") == "") {
			t.Errorf("%s: the page is, with %v,\n%s", name, w.Header(), w.Body)
		}
	}
	w, _ := do(newGet("/rest/user?auth_key=good&%3Cscript%3E=1", "Accept", chromium), noRows)
	if page := w.Body.String(); strings.Contains(page, "<script") || !strings.Contains(page, "&lt;script&gt; is unknown") {
		t.Errorf("the page is\n%s", page)
	}
}

func TestPageOfAnErrorHasWhatADocumentLacks(t *testing.T) {
	lacking := fault.New(fault.Invalid, "the document lacks 1 things").Coded(fault.Incomplete)
	lacking.Lacks = []fault.Lack{{Rule: "BR-DE-15", Record: "client/1/party", Field: "buyer_reference", Message: "The <reference> is missing."}}
	w, _ := do(newGet("/rest/user?auth_key=good", "Accept", chromium), func(context.Context) (*readmodel.Rows, error) { return nil, lacking })
	for _, part := range []string{`<a href="/rest/client/1/party">/rest/client/1/party</a>`, ">buyer_reference<", "The &lt;reference&gt; is missing."} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("the page has no %s:\n%s", part, w.Body)
		}
	}
}

// contract 3.42
func TestUnknownPathNamesTheListThatIsMeant(t *testing.T) {
	const none = "there is no such path"
	const meant, lists = none + "; did you mean /rest/user?", none + "; the lists are user"
	for path, want := range map[string]string{
		"/rest/users": meant, "/rest/users/7": meant, "/rest/usr": meant, "/users": meant, "/user": meant, "/user/7": meant, "/api/user": meant,
		"/rest/customers": lists, "/rest": lists, "/rest/user/7/nope": none, "/readyzz": none, "/wp-admin/user.php/user": none,
	} {
		w, _ := do(newGet(path, "access-token", "good"), noRows)
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `"detail":"`+want+`"`) {
			t.Errorf("%s: got %d, %s", path, w.Code, w.Body)
		}
	}
	if w, _ := do(newGet("/rest/users"), noRows); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token: got %d", w.Code)
	}
}

// contract 3.42
func TestWrongFormsOfADocumentNameItsPath(t *testing.T) {
	resource := slices.Concat(Invoices(nil, nil, nil), InvoiceDocuments(nil))
	for _, c := range []struct {
		path, accept string
		status       int
		want         string
	}{
		{"/rest/invoice/1/pdf", "", http.StatusNotFound, "there is no such path; below a record there are credit, document, explain, issue"},
		{"/rest/invoice/1", "application/pdf", http.StatusNotAcceptable, "; /rest/invoice/{id}/document is PDF, HTML or XML"},
		{"/rest/invoice/1?_format=pdf", "", http.StatusNotAcceptable, "; /rest/invoice/{id}/document is PDF, HTML or XML"},
	} {
		w, _ := doWith(resource, newGet(c.path, "access-token", "good", "Accept", c.accept))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %d, %s", c.path, w.Code, w.Body)
		}
	}
}

func TestIconIsAtItsUsualPath(t *testing.T) {
	w, _ := do(newGet("/favicon.ico"), noRows)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "image/png" || !strings.HasPrefix(w.Body.String(), "\x89PNG") {
		t.Errorf("got %d, %v", w.Code, w.Header())
	}
}

// contract 5.12
func TestLogSaysWhyARequestIsRefused(t *testing.T) {
	const token = "kt_0123456789ab_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"
	statuses := Statuses(nil, command.NewStatuses(nil, stubTokens{}, nil))
	post := func(query, contentType, body string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, "/rest/status?auth_key=good"+query, strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		return r
	}
	for name, c := range map[string]struct {
		r      *http.Request
		code   string
		kind   any
		fields any
	}{
		"no token":              {newGet("/rest/status"), "unauthenticated", "unauthenticated", nil},
		"a parameter":           {newGet("/rest/status?auth_key=good&sort=hush"), "malformed", "malformed", "sort:unknown"},
		"unknown parameters":    {newGet("/rest/status?auth_key=good&nam=hush&clr=hush"), "malformed", "malformed", "clr:unknown,nam:unknown"},
		"a token as a name":     {newGet("/rest/status?auth_key=good&" + token + "=hush&good=hush"), "malformed", "malformed", "REDACTED:unknown,REDACTED:unknown"},
		"a long name":           {newGet("/rest/status?auth_key=good&" + strings.Repeat("x", 500) + "=hush"), "malformed", "malformed", strings.Repeat("x", 79) + "…:unknown"},
		"a body":                {post("", "application/json", `{"hush`), "malformed", "malformed", nil},
		"a form by mistake":     {post("", "application/x-www-form-urlencoded", `{"name":"hush"}`), "malformed", "malformed", nil},
		"an unsupported type":   {post("", "text/plain", "hush"), "unsupported_type", nil, nil},
		"a role":                {post("", "application/json", `{"name":"hush"}`), "forbidden", "forbidden", nil},
		"no such path":          {newGet("/hush"), "not_found", "not found", nil},
		"a method":              {httptest.NewRequest(http.MethodDelete, "/rest/status?auth_key=good", nil), "method_not_allowed", nil, nil},
		"a record of no number": {newGet("/rest/status/x?auth_key=good"), "not_found", "not found", nil},
	} {
		_, log := doWith(statuses, c.r)
		event := logEvent(t, log)
		if event["code"] != c.code || event["kind"] != c.kind || event["fields"] != c.fields {
			t.Errorf("%s: logged is %v, want code %s, kind %v, fields %v", name, event, c.code, c.kind, c.fields)
		}
		delete(event, "uri") // has the query
		for key, value := range event {
			if text, ok := value.(string); ok && (strings.Contains(text, "hush") || strings.Contains(text, token)) {
				t.Errorf("%s: logged is the %s %s", name, key, text)
			}
		}
	}
	var many strings.Builder
	for i := range 25 {
		many.WriteString("&a" + string(rune('a'+i)) + "=1")
	}
	_, log := doWith(statuses, newGet("/rest/status?auth_key=good"+many.String()))
	fields, _ := logEvent(t, log)["fields"].(string)
	if names := strings.Split(fields, ","); len(names) != 21 || names[0] != "aa:unknown" || names[20] != "and 5 more" {
		t.Errorf("of many fields logged are %s", fields)
	}
	if w, log := do(newGet("/rest/user?auth_key=good"), noRows); w.Code != 200 || strings.Contains(log, `"code"`) || strings.Contains(log, `"kind"`) {
		t.Errorf("of a success logged is %s", log)
	}
}
