package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
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

// Response is a response of the service.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// IsOK reports whether the request succeeded.
func (r Response) IsOK() bool { return r.Status == http.StatusOK }

// ID is that of the record in the response.
func (r Response) ID() int64 {
	var body struct{ Response struct{ ID int64 } }
	_ = json.Unmarshal(r.Body, &body)
	return body.Response.ID
}

// Send sends a request with a token; headers are names and values in turn.
func Send(ctx context.Context, token, method, url string, record Fields, headers ...string) (Response, error) {
	var body io.Reader
	if record != nil {
		sent, err := json.Marshal(record)
		if err != nil {
			return Response{}, err
		}
		body = bytes.NewReader(sent)
	}
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return Response{}, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return Response{}, err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return Response{response.StatusCode, response.Header, read}, err
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
