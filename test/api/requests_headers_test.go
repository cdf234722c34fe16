package api_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 4.88
func TestAdminListenerSendsNosniffAndNoServerHeader(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *bootstrap.Config) { c.AdminListen = "127.0.0.1:0" })
	s.nobody().becomes(http.StatusOK)
	for path, want := range map[string]int{
		"/metrics": 200, "/healthz": 200, "/readyz": 200, "/version": 200, "/debug/pprof/": 200, "/debug/pprof/heap": 200,
		"/nowhere": 404, "/debug/pprof/nothing": 404, "/rest/client": 404, "/": 404,
		"/debug/pprof/cmdline": 404, // contains the password of the database
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			w := httptest.NewRecorder()
			s.admin.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
			if method == http.MethodGet && w.Code != want {
				t.Errorf("%s returned %d, want %d", path, w.Code, want)
			}
			if got := w.Header().Values("X-Content-Type-Options"); !slices.Equal(got, []string{"nosniff"}) {
				t.Errorf("%s %s (%d): X-Content-Type-Options is %q", method, path, w.Code, got)
			}
			for _, name := range []string{"Server", "X-Powered-By"} {
				if got := w.Header().Get(name); got != "" {
					t.Errorf("%s %s: %s is %q", method, path, name, got)
				}
			}
		}
	}
}
