package linearizability

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testserver"
)

type fields = map[string]any

// service is a running Kontor and the token of an administrator.
type service struct {
	t          *testing.T
	url, token string
}

func start(t *testing.T) *service {
	t.Helper()
	running := testserver.On(t, pgtest.URL(t))
	return &service{t: t, url: running.URL, token: testserver.Token(t, running.Service, "admin", user.Admin)}
}

// send sends a request; expects is the required version of the record, 0 for any.
func (s *service) send(method, path string, expects int64, record fields) (status int, header http.Header, body []byte, err error) {
	sent, err := json.Marshal(record)
	if err != nil {
		return 0, nil, nil, err
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(sent))
	if err != nil {
		return 0, nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Content-Type", "application/json")
	if expects != 0 {
		r.Header.Set("If-Match", fmt.Sprintf(`"%d"`, expects))
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, response.Header, body, err
}

// create creates a record that the service accepts.
func (s *service) create(path string, record fields) int64 {
	s.t.Helper()
	status, _, body, err := s.send(http.MethodPost, "/rest/"+path, 0, record)
	var created struct{ Response struct{ ID int64 } }
	if err == nil {
		err = json.Unmarshal(body, &created)
	}
	if err != nil || status != http.StatusOK {
		s.t.Fatalf("create %s: %d %s, %v", path, status, body, err)
	}
	return created.Response.ID
}
