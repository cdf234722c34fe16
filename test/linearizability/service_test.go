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
func (s *service) send(method, path string, expects int64, record fields) (status int, header http.Header, said []byte, err error) {
	body, err := json.Marshal(record)
	if err != nil {
		return 0, nil, nil, err
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("Content-Type", "application/json")
	if expects != 0 {
		r.Header.Set("If-Match", fmt.Sprintf(`"%d"`, expects))
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer answer.Body.Close()
	said, err = io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, said, err
}

// create creates a record that the service accepts.
func (s *service) create(path string, record fields) int64 {
	s.t.Helper()
	status, _, said, err := s.send(http.MethodPost, "/rest/"+path, 0, record)
	var created struct{ Response struct{ ID int64 } }
	if err == nil {
		err = json.Unmarshal(said, &created)
	}
	if err != nil || status != http.StatusOK {
		s.t.Fatalf("create %s: %d %s, %v", path, status, said, err)
	}
	return created.Response.ID
}
