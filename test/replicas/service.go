package replicas

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/testserver"
)

// Fields are the attributes of a record.
type Fields = map[string]any

// Instance runs the service on a primary and replicas until the test ends.
func Instance(t testing.TB, databaseURL string, replicas []*Server, options ...func(*bootstrap.Config)) testserver.Service {
	t.Helper()
	return testserver.On(t, databaseURL, append([]func(*bootstrap.Config){func(c *bootstrap.Config) {
		var urls []string
		for _, r := range replicas {
			urls = append(urls, r.URL())
		}
		c.RawReplicas, c.AdminListen = strings.Join(urls, ","), "127.0.0.1:0"
	}}, options...)...)
}

// Metric is a figure of the instance's metrics; 0 if it has none of that name and labels.
func Metric(t testing.TB, s testserver.Service, name string) (value float64) {
	t.Helper()
	r := httptest.NewRecorder()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Admin.ServeHTTP(r, request)
	for line := range strings.Lines(r.Body.String()) {
		if strings.HasPrefix(line, name) {
			_, _ = fmt.Sscan(line[strings.LastIndex(line, " "):], &value)
			return value
		}
	}
	return 0
}
