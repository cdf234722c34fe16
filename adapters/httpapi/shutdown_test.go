package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// contract 1.17, 1.35
func TestShutdownClosesConnectionsWithEveryResponse(t *testing.T) {
	shutdown := new(traffic.Shutdown)
	with := func(c *Config) { c.Shutdown = shutdown }
	begun := func(context.Context) (*readmodel.Rows, error) { // while the request is in flight
		shutdown.Begin()
		return readmodel.NewRows(7), nil
	}
	if w, _ := do(newGet("/rest/user?auth_key=good"), noRows, with); w.Code != 200 || w.Header().Get("Connection") != "" {
		t.Errorf("before, the response is %d with Connection: %s", w.Code, w.Header().Get("Connection"))
	}
	for _, of := range []struct {
		name  string
		r     *http.Request
		users stubUsers
		want  int
	}{
		{"a request in flight", newGet("/rest/user?auth_key=good"), begun, 200},
		{"a list", newGet("/rest/user?auth_key=good"), noRows, 200},
		{"an invalid token", newGet("/rest/user?auth_key=bad"), noRows, 401},
		{"no such path", newGet("/nowhere"), noRows, 404},
		{"a response without a body", httptest.NewRequest(http.MethodOptions, "/rest/user", nil), noRows, 204},
		{"a panic", newGet("/rest/user?auth_key=good"), func(context.Context) (*readmodel.Rows, error) { panic("no") }, 500},
		{"health", newGet("/healthz"), noRows, 200},
		{"readiness", newGet("/readyz"), noRows, 503},
	} {
		if w, _ := do(of.r, of.users, with); w.Code != of.want || w.Header().Get("Connection") != "close" {
			t.Errorf("%s is %d with Connection: %q, want %d", of.name, w.Code, w.Header().Get("Connection"), of.want)
		}
	}
}

// contract 1.35, 3.22, 3.24
func TestShutdownCanceledRequestIsUnavailable(t *testing.T) {
	busy := fault.New(fault.Unavailable, "the database is busy").WithCause(errors.New("a statement was cancelled"))
	unknown := fault.New(fault.OutcomeUnknown, "unknown outcome").WithCause(context.Canceled)
	for _, of := range []struct {
		name string
		err  error
		want int
		says string
	}{
		{"waiting for a connection", fmt.Errorf("acquire: %w", context.Canceled), 503, "the service is stopping; try again"},
		{"during a statement", busy, 503, "the service is stopping; try again"},
		{"during a commit", unknown, 503, problem.UnknownOutcome},
		{"after a conflict", fault.New(fault.Conflict, "in use"), 409, "in use"},
		{"after an internal error", errors.New("disk failure"), 500, "internal error"},
	} {
		t.Run(of.name, func(t *testing.T) {
			r := newGet("/rest/user?auth_key=good")
			ctx, cancel := context.WithCancelCause(r.Context())
			w, log := do(r.WithContext(ctx), func(context.Context) (*readmodel.Rows, error) {
				cancel(traffic.ErrShutdown)
				return nil, of.err
			})
			if w.Code != of.want || !strings.Contains(w.Body.String(), of.says) {
				t.Errorf("the response is %d %s, want %d with %q", w.Code, w.Body, of.want, of.says)
			}
			if hasWait := w.Header().Get("Retry-After") != ""; hasWait != (of.want == 503) {
				t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
			}
			if event := logEvent(t, log); event["status"] != float64(of.want) || of.want >= 500 && !strings.Contains(fmt.Sprint(event["error"]), of.err.Error()) {
				t.Errorf("the log has %v", event)
			}
		})
	}
}
