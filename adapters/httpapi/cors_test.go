package httpapi

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// origins sets the allowed origins.
func origins(of ...string) func(*Config) { return func(c *Config) { c.Origins = of } }

// crossOriginHeaders are the headers of CORS and Vary.
func crossOriginHeaders(h http.Header) map[string]string {
	about := map[string]string{}
	for name, values := range maps.All(h) {
		if strings.HasPrefix(name, "Access-Control-") || name == "Vary" {
			about[name] = strings.Join(values, " | ")
		}
	}
	return about
}

// contract 4.66
func TestCORSIsOffWithoutOrigins(t *testing.T) {
	preflight := newGet("/rest/user", "Origin", "https://app.example.org", "Access-Control-Request-Method", "GET")
	preflight.Method = http.MethodOptions
	for name, r := range map[string]*http.Request{
		"a response":  newGet("/rest/user?auth_key=good", "Origin", "https://app.example.org"),
		"an error":    newGet("/rest/user", "Origin", "https://app.example.org"),
		"a preflight": preflight,
	} {
		w, _ := do(r, noRows)
		got := crossOriginHeaders(w.Header())
		delete(got, "Vary")
		if vary := w.Header().Get("Vary"); len(got) != 0 || strings.Contains(vary, "Origin") {
			t.Errorf("%s has %v, Vary %s", name, got, vary)
		}
	}
}

// contract 4.80
func TestCORSAllowsConfiguredOrigins(t *testing.T) {
	const readable = "X_Pagination_Total_Count, X_Pagination_Page_Count, X_Pagination_Current_Page, X_Pagination_Per_Page, " +
		"X-Pagination-Total-Count, X-Pagination-Page-Count, X-Pagination-Current-Page, X-Pagination-Per-Page, " +
		"Link, Location, ETag, X-Request-Id, Server-Timing, Idempotent-Replayed, Preference-Applied, Kontor-Warning, " +
		"Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset"
	panics := func(context.Context) (*readmodel.Rows, error) { panic("disk failure") }
	for name, c := range map[string]struct {
		path   string
		users  stubUsers
		status int
		vary   string
	}{
		"a response":        {"/rest/user?auth_key=good", noRows, 200, "Accept, Accept-Encoding, Origin"},
		"no token":          {"/rest/user", noRows, 401, "Accept, Accept-Encoding, Origin"},
		"no such path":      {"/rest/nowhere?auth_key=good", noRows, 404, "Accept, Accept-Encoding, Origin"},
		"an internal error": {"/rest/user?auth_key=good", panics, 500, "Accept, Accept-Encoding, Origin"},
		"health":            {"/healthz", noRows, 200, "Accept-Encoding | Origin"},
	} {
		for origin, allowed := range map[string]map[string]string{
			"https://app.example.org": {"Access-Control-Allow-Origin": "https://app.example.org", "Access-Control-Expose-Headers": readable},
			"http://localhost:3000":   {"Access-Control-Allow-Origin": "http://localhost:3000", "Access-Control-Expose-Headers": readable},
			"http://app.example.org":  {},
			"null":                    {},
			"*":                       {},
			"":                        {},
		} {
			w, _ := do(newGet(c.path, "Origin", origin), c.users, origins("https://app.example.org", "http://localhost:3000"))
			want := maps.Clone(allowed)
			want["Vary"] = c.vary
			if diff := cmp.Diff(want, crossOriginHeaders(w.Header())); diff != "" || w.Code != c.status {
				t.Errorf("%s to %q: status %d, -want +got\n%s", name, origin, w.Code, diff)
			}
		}
	}
}

func TestCORSWildcardAllowsEveryOriginWithoutCredentials(t *testing.T) { // contract 1.19, 4.80
	for _, origin := range []string{"https://app.example.org", "null"} {
		w, _ := do(newGet("/rest/user?auth_key=good", "Origin", origin), noRows, origins("*"))
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != "*" {
			t.Errorf("%s: got %q", origin, got)
		}
		if got, ok := w.Header()["Access-Control-Allow-Credentials"]; ok {
			t.Errorf("credentials are allowed: %s", got)
		}
	}
}

// contract 4.65, 4.80
func TestCORSPreflightNeedsNoTokenOnAnyPath(t *testing.T) {
	granted := map[string]string{
		"Access-Control-Allow-Origin":  "https://app.example.org",
		"Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
		"Access-Control-Allow-Headers": "Authorization, access-token, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Request-Id, traceparent, Server-Timing",
		"Access-Control-Max-Age":       "600",
		"Vary":                         "Accept-Encoding | Origin",
	}
	for path, allow := range map[string]string{"/rest/user": "GET, HEAD, OPTIONS", "/rest/user/": "GET, HEAD, OPTIONS", "/rest/nowhere": ""} {
		r := newGet(path, "Origin", "https://app.example.org", "Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers", "Content-Type, Authorization")
		r.Method = http.MethodOptions
		w, _ := do(r, noRows, origins("https://app.example.org"))
		if diff := cmp.Diff(granted, crossOriginHeaders(w.Header())); diff != "" || w.Code != 204 || w.Body.Len() != 0 {
			t.Errorf("%s: status %d %s, -want +got\n%s", path, w.Code, w.Body, diff)
		}
		if got := w.Header().Get("Allow"); got != allow {
			t.Errorf("%s allows %q, want %q", path, got, allow)
		}
	}
	r := newGet("/rest/user", "Origin", "https://elsewhere.example.org", "Access-Control-Request-Method", "PATCH")
	r.Method = http.MethodOptions
	w, _ := do(r, noRows, origins("https://app.example.org"))
	if diff := cmp.Diff(map[string]string{"Vary": "Accept-Encoding | Origin"}, crossOriginHeaders(w.Header())); diff != "" || w.Code != 204 {
		t.Errorf("another origin: status %d, -want +got\n%s", w.Code, diff)
	}
}
