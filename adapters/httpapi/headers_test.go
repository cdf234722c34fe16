package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/page"
)

// contract 4.88
func TestHeadersForbidSniffingAndNameNoServer(t *testing.T) {
	config := Config{DefaultFormat: AlwaysJSON, MaxBody: 1 << 10, RequestTimeout: time.Second, Origins: []string{"*"}}
	// Only users has a reader: most other responses are those of a panic.
	resources := []Resource{
		Users(stubUsers(noRows)), Statuses(nil, nil), DealTypes(nil, nil), InvoiceTypes(nil, nil), Performers(nil, nil), Clients(nil, nil),
		Contacts(nil, nil), Deals(nil, nil, nil), Offers(nil, nil), Contracts(nil, nil), Invoices(nil, nil, nil), InvoiceItems(nil, nil),
	}
	server := httptest.NewServer(New(config, companyWith(resources...),
		func(context.Context) error { return errors.New("no connection") }, slog.New(slog.DiscardHandler)))
	defer server.Close()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

	paths := []string{"/nowhere", "/rest", "/rest/nowhere", "/rest/user/0", "/docs/", "//", "/rest/user?sort=colour", "/rest/user?_format=yaml", "/rest/user?%zz"}
	for _, r := range slices.Concat(serviceRoutes, pageRoutes(), routesOf(resources)) {
		paths = append(paths, strings.ReplaceAll(r.path, ":id", "7"))
	}
	slices.Sort(paths)
	statuses := map[int]bool{}
	for _, path := range slices.Compact(paths) {
		for _, method := range append(slices.Clone(methods), http.MethodOptions, "BREW") {
			for _, token := range []string{"good", "bad", ""} {
				request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader("x"))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Access-Token", token)
				response, err := client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				statuses[response.StatusCode] = true
				if got := response.Header.Values("X-Content-Type-Options"); !slices.Equal(got, noSniff) {
					t.Errorf("%s %s (%d): X-Content-Type-Options is %q", method, path, response.StatusCode, got)
				}
				for _, name := range []string{"Server", "X-Powered-By", "Via"} {
					if got := response.Header.Get(name); got != "" {
						t.Errorf("%s %s (%d): %s is %q", method, path, response.StatusCode, name, got)
					}
				}
				isPage := path == page.ReferencePath && response.StatusCode == http.StatusOK ||
					path == loginPath && slices.Contains([]int{http.StatusOK, http.StatusUnauthorized}, response.StatusCode)
				if isPage != (response.Header.Get("Content-Security-Policy") != "") {
					t.Errorf("%s %s (%d): Content-Security-Policy is %q", method, path, response.StatusCode, response.Header.Get("Content-Security-Policy"))
				}
			}
		}
	}
	for _, status := range []int{200, 204, 302, 400, 401, 404, 405, 406, 415, 429, 500, 503} {
		if !statuses[status] {
			t.Errorf("no response has the status %d: %v", status, statuses)
		}
	}
}
