package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// servers are a primary and one replica, which serves reads until it fails.
type servers struct {
	fails bool
	least []readmodel.Position // that reads ask for
}

var written = readmodel.Position{System: 7, Timeline: 1, WAL: 100}

func (s *servers) Written(context.Context) (readmodel.Position, error) {
	if s.fails {
		return written, errors.New("the primary does not respond")
	}
	return written, nil
}

func (s *servers) Read(ctx context.Context, least readmodel.Position, _ int64, read func(ctx context.Context, replica int) error) bool {
	s.least = append(s.least, least)
	return read(ctx, 0) == nil && !s.fails
}

// contract 13.1, 13.5, 13.13
func TestReadWithPositionIsServedByReplicaOrElseByPrimary(t *testing.T) {
	t.Parallel()
	const primary, replica = 1, 2
	by := func(id int64) []route {
		return []route{{handle: func(*call) (*response, error) { return &response{location: string(rune('0' + id))}, nil }}}
	}
	for name, c := range map[string]struct {
		method, header string
		fails          bool
		by             int
		shows          string // in the response
		err            fault.Kind
	}{
		"a read":                          {http.MethodGet, "", false, primary, "", 0},
		"a read of what a replica has":    {http.MethodGet, "recent", false, replica, "", 0},
		"a read of a position":            {http.MethodHead, written.String(), false, replica, "", 0},
		"a read from a failing replica":   {http.MethodGet, written.String(), true, primary, "", 0},
		"a read of a malformed position":  {http.MethodGet, "7", false, 0, "", fault.Malformed},
		"a write":                         {http.MethodPost, "", false, primary, written.String(), 0},
		"a write with a position":         {http.MethodDelete, "recent", false, primary, written.String(), 0},
		"a write with a malformed one":    {http.MethodPatch, "Recent", false, 0, "", fault.Malformed},
		"a write before the primary ends": {http.MethodPut, "", true, primary, "", 0},
	} {
		s, header := &servers{fails: c.fails}, http.Header{}
		request := httptest.NewRequest(c.method, "/", nil)
		request.Header.Set(positionHeader, c.header)
		got := &call{
			Context: context.Background(), http: request, route: &route{},
			tenant: &Tenant{routes: by(primary), replicas: Replicas{Servers: s, routes: [][]route{by(replica)}}},
		}
		a, err := got.handle(header)
		switch {
		case c.err != 0:
			if !fault.Is(err, c.err) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil || a.location != string(rune('0'+c.by)):
			t.Errorf("%s: it is served by %s, %v", name, a.location, err)
		case header.Get(positionHeader) != c.shows:
			t.Errorf("%s: the response has the position %q", name, header.Get(positionHeader))
		}
	}
}
