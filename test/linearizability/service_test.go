//go:build race || full

package linearizability

import (
	"testing"

	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

type fields = map[string]any

// service is a running Kontor, whose client is an administrator.
type service struct {
	rest.Client

	t *testing.T
}

func start(t *testing.T) *service {
	t.Helper()
	running := testserver.On(t, pgtest.URL(t))
	return &service{rest.Client{URL: running.URL, Token: testserver.Token(t, running.Service, "admin", user.Admin)}, t}
}

// create creates a record that the service accepts.
func (s *service) create(path string, record fields) int64 {
	s.t.Helper()
	id, err := s.Create(s.t.Context(), "/rest/"+path, record)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}
