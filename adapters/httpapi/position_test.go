package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/position"
)

// replica is the server of a request.
type replica struct {
	calls  []string
	failed error // of Settle
}

func (r *replica) Settle(context.Context) error {
	r.calls = append(r.calls, "settle")
	return r.failed
}

func (r *replica) Retreat() { r.calls = append(r.calls, "retreat") }

func callOn(server position.Server, handle handler) *call {
	return &call{
		Context: context.Background(), http: httptest.NewRequest(http.MethodGet, "/", nil),
		company: &Company{handlers: []handler{handle}}, route: &route{}, position: &position.Request{Server: server},
	}
}

// contract 13.13
func TestReadIsRepeatedOnceIfReplicaFails(t *testing.T) {
	t.Parallel()
	failure := fault.New(fault.Unavailable, "try again").WithCause(fmt.Errorf("%w: broken", position.ErrServerFailed))
	for name, c := range map[string]struct {
		errs  []error // of the attempts
		tries int
	}{
		"never":      {[]error{nil}, 1},
		"once":       {[]error{failure, nil}, 2},
		"twice":      {[]error{failure, failure}, 2},
		"otherwise":  {[]error{errors.New("a defect")}, 1},
		"as a fault": {[]error{fault.New(fault.NotFound, "none")}, 1},
	} {
		server, tries := &replica{}, 0
		got := callOn(server, func(*call) (*response, error) {
			tries++
			return nil, c.errs[tries-1]
		})
		if _, err := got.handleOrRepeat(); !errors.Is(err, c.errs[c.tries-1]) || tries != c.tries || len(server.calls) != c.tries-1 {
			t.Errorf("%s: %d attempts, %v, %v", name, tries, server.calls, err)
		}
	}
}

// contract 13.4
func TestResponseWaitsUntilItsStateIsRecorded(t *testing.T) {
	t.Parallel()
	for _, of := range []error{nil, fault.New(fault.NotFound, "none")} {
		server := &replica{}
		c := callOn(server, nil)
		if _, err := c.settle(http.Header{}, nil, of); !errors.Is(err, of) || len(server.calls) != 1 {
			t.Errorf("%v: %v, %v", of, server.calls, err)
		}
		server.failed = fault.New(fault.Unavailable, "try again")
		if _, err := c.settle(http.Header{}, &response{}, of); !fault.Is(err, fault.Unavailable) {
			t.Errorf("what could not be recorded is shown: %v", err)
		}
	}
}
