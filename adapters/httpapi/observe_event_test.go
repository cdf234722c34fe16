package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// logEvent is the only event of a log.
func logEvent(t *testing.T, log string) map[string]any {
	t.Helper()
	var event map[string]any
	if err := json.Unmarshal([]byte(log), &event); err != nil {
		t.Fatalf("%v: not one event:\n%s", err, log)
	}
	return event
}

// twoRows reads two records with three statements, which take 30 ms.
func twoRows(ctx context.Context) (*readmodel.Rows, error) {
	now := time.Now()
	r := ports.ObservationFrom(ctx)
	r.RecordSent(2, now)
	r.RecordSent(1, now.Add(10*time.Millisecond)) // concurrently
	r.RecordDone(now.Add(20 * time.Millisecond))
	r.RecordDone(now.Add(30 * time.Millisecond))
	rows := readmodel.NewRows(7)
	for range 2 {
		for range 7 {
			rows.Append([]byte("1"))
		}
	}
	return rows, nil
}

func TestLogMarksDryRuns(t *testing.T) {
	for prefer, want := range map[string]any{"dry-run": true, "return=minimal": nil} {
		r := httptest.NewRequest(http.MethodPost, "/rest/status?auth_key=good", nil)
		r.Header.Set("Prefer", prefer)
		w, log := doWith(Statuses(nil, command.NewStatuses(nil, stubTokens{}, nil)), r)
		if event := logEvent(t, log); w.Code != http.StatusForbidden || event["dry_run"] != want {
			t.Errorf("%s: status %d, %v, want dry_run %v", prefer, w.Code, event, want)
		}
	}
}

func TestLogHasOneEventPerRequest(t *testing.T) {
	w, log := do(newGet("/rest/user/7?auth_key=good", "X-Request-Id", "order-4711",
		"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), twoRows)
	event := logEvent(t, log)
	if took, ok := event["duration_us"].(float64); !ok || took <= 0 || took > 5e6 {
		t.Errorf("the duration is %v, want a number of microseconds", event["duration_us"])
	}
	delete(event, "time")
	delete(event, "duration_us")
	want := map[string]any{
		"level": "INFO", "msg": "request", "request_id": "order-4711", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
		"method": "GET", "route": "/rest/user/{id}", "uri": "/rest/user/7?auth_key=REDACTED", "status": 200.0,
		"rows": 2.0, "queries": 3.0, "db_us": 30000.0, "bytes": float64(w.Body.Len()), "user_id": 1.0,
	}
	if diff := cmp.Diff(want, event); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestLogLevelDependsOnTheOutcome(t *testing.T) {
	failing := func(err error) stubUsers { return func(context.Context) (*readmodel.Rows, error) { return nil, err } }
	for name, c := range map[string]struct {
		r      *http.Request
		users  stubUsers
		status float64
		level  string
	}{
		"success":                                {newGet("/rest/user?auth_key=good"), noRows, 200, "INFO"},
		"an invalid token":                       {newGet("/rest/user?auth_key=bad"), noRows, 401, "INFO"},
		"no such path":                           {newGet("/nowhere"), noRows, 404, "INFO"},
		"an internal error":                      {newGet("/rest/user?auth_key=good"), failing(errors.New("disk failure")), 500, "ERROR"},
		"a canceled statement":                   {newGet("/rest/user?auth_key=good"), failing(fmt.Errorf("read: %w", context.Canceled)), 499, "INFO"},
		"a canceled request":                     {canceled(newGet("/rest/user?auth_key=good")), failing(fault.New(fault.Unavailable, "busy").WithCause(errors.New("cancelled"))), 499, "INFO"},
		"an internal error after a cancellation": {canceled(newGet("/rest/user?auth_key=good")), failing(errors.New("disk failure")), 500, "ERROR"},
		"a timeout":                              {newGet("/rest/user?auth_key=good"), failing(context.DeadlineExceeded), 503, "ERROR"},
		"an unknown method":                      {httptest.NewRequest("BREW", "/rest/user?auth_key=good", nil), noRows, 405, "INFO"},
	} {
		t.Run(name, func(t *testing.T) {
			_, log := do(c.r, c.users)
			if event := logEvent(t, log); event["status"] != c.status || event["level"] != c.level {
				t.Errorf("logged is %v as %v, want %v as %s", event["status"], event["level"], c.status, c.level)
			}
		})
	}
}

// canceled is the request of a client that has closed the connection.
func canceled(r *http.Request) *http.Request {
	ctx, cancel := context.WithCancel(r.Context())
	cancel()
	return r.WithContext(ctx)
}

func TestLogLevelOfProbesIsDebug(t *testing.T) {
	if _, log := do(newGet("/healthz"), noRows); log != "" {
		t.Errorf("logged is\n%s", log)
	}
	if _, log := do(newGet("/version"), noRows); log == "" {
		t.Error("a request that is no probe is not logged")
	}
}

// contract 5.12
func TestLogRedactsTokensInErrorsAndPanics(t *testing.T) {
	const token = "kt_0123456789ab_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"
	for place, r := range map[string]func() *http.Request{
		"in the query":           func() *http.Request { return newGet("/rest/user?auth_key=good") },
		"in the other parameter": func() *http.Request { return newGet("/rest/user?access-token=good") },
		"in a header":            func() *http.Request { return newGet("/rest/user", "access-token", "good") },
		"as a bearer":            func() *http.Request { return newGet("/rest/user", "Authorization", "Bearer good") },
		"as a user name":         func() *http.Request { return withBasic(newGet("/rest/user"), "good", "") },
	} {
		for way, users := range map[string]stubUsers{
			"an error":           func(context.Context) (*readmodel.Rows, error) { return nil, errors.New("cannot send good, " + token) },
			"a panic":            func(context.Context) (*readmodel.Rows, error) { panic("cannot send good, " + token) },
			"a panic with error": func(context.Context) (*readmodel.Rows, error) { panic(errors.New("cannot send good, " + token)) },
		} {
			t.Run(place+" through "+way, func(t *testing.T) {
				w, log := do(r(), users)
				if w.Code != 500 || !strings.Contains(log, "cannot send REDACTED, REDACTED") {
					t.Errorf("the response is %d, the log\n%s", w.Code, log)
				}
				if strings.Contains(log, "good") || strings.Contains(log, token) || strings.Contains(w.Body.String(), "good") {
					t.Errorf("the token is in the log or the response:\n%s%s", log, w.Body)
				}
			})
		}
	}
	for name, r := range map[string]*http.Request{
		"in the path":          newGet("/rest/user/" + token),
		"under a wrong name":   newGet("/rest/user?token=" + token),
		"as request ID":        newGet("/rest/user", "X-Request-Id", token),
		"valid, as request ID": newGet("/rest/user?auth_key=good", "X-Request-Id", "good"),
	} {
		t.Run(name, func(t *testing.T) {
			w, log := do(r, noRows)
			if strings.Contains(log, token) || strings.Contains(log, "good") || strings.Contains(w.Header().Get("X-Request-Id"), "good") {
				t.Errorf("the token is in the log:\n%s", log)
			}
		})
	}
}

func TestRequestIDOfTheClientIsKeptIfValid(t *testing.T) {
	for given, kept := range map[string]bool{
		"order-4711":                               true,
		"7c9e6679-7425-40de-944b-e07fc1f90ae7":     true,
		"Root=1-67891233-abcdef012345678912345678": true,
		"~!{}\"":                 true,
		strings.Repeat("a", 64):  true,
		strings.Repeat("a", 65):  false,
		"":                       false,
		"two words":              false,
		"tab\there":              false,
		"b\u00fcro":              false,
		"line\nlevel=ERROR":      false,
		"\x7f":                   false,
		"kt_0123456789ab_secret": false,
	} {
		r := newGet("/rest/user?auth_key=good")
		r.Header[requestIDHeader] = []string{given}
		w, log := do(r, noRows)
		id := w.Header().Get("X-Request-Id")
		if (id == given) != kept || id == "" || logEvent(t, log)["request_id"] != id {
			t.Errorf("given %q, the request is %q, and in the log:\n%s", given, id, log)
		}
	}
	r := newGet("/rest/user?auth_key=good", "X-Request-Id", "one")
	r.Header.Add("X-Request-Id", "two")
	if w, _ := do(r, noRows); w.Header().Get("X-Request-Id") == "one" {
		t.Error("one of two IDs is used")
	}
}

func TestTraceIDIsLogged(t *testing.T) {
	for given, want := range map[string]any{
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01": "4bf92f3577b34da6a3ce929d0e0e4736",
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01": nil,
		"00-4bf92f3577b34da6a3ce929d0e0e473G-00f067aa0ba902b7-01": nil,
		"00-4bf92f3577b34da6a3ce929d0e0e4736":                     nil,
		"":                                                        nil,
	} {
		_, log := do(newGet("/rest/user?auth_key=good", "traceparent", given), noRows)
		if got := logEvent(t, log)["trace_id"]; got != want {
			t.Errorf("%q is logged as %v, want %v", given, got, want)
		}
	}
}

func TestServerTimingIsSentOnRequest(t *testing.T) {
	form := regexp.MustCompile(`^total;dur=\d+\.\d{3}, db;dur=(\d+\.\d{3});desc="(\d+ quer(?:y|ies))", app;dur=-?\d+\.\d{3}$`)
	for name, c := range map[string]struct {
		path    string
		queries string
	}{
		"a record":         {"/rest/user/7?auth_key=good", "3 queries"},
		"an invalid token": {"/rest/user?auth_key=bad", "0 queries"},
		"an unknown path":  {"/nowhere", "0 queries"},
		"a probe":          {"/healthz", "0 queries"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := do(newGet(c.path, "Server-Timing", "1"), twoRows)
			parts := form.FindStringSubmatch(w.Header().Get("Server-Timing"))
			if len(parts) != 3 || parts[2] != c.queries || c.queries == "3 queries" && parts[1] != "30.000" {
				t.Errorf("Server-Timing is %q, want %s", w.Header().Get("Server-Timing"), c.queries)
			}
			if w, _ := do(newGet(c.path), twoRows); w.Header().Get("Server-Timing") != "" {
				t.Error("Server-Timing is sent without a request for it")
			}
		})
	}
	options := httptest.NewRequest(http.MethodOptions, "/rest/user", nil)
	options.Header.Set("Server-Timing", "1")
	if w, _ := do(options, noRows); w.Code != 204 || !form.MatchString(w.Header().Get("Server-Timing")) {
		t.Errorf("without a body: %d, Server-Timing %q", w.Code, w.Header().Get("Server-Timing"))
	}
}

// recordingObserver records the requests.
type recordingObserver struct {
	begun int
	ended []ports.Observation
}

func (o *recordingObserver) Begin(_ context.Context, r *ports.Observation) {
	o.begun++
	r.TraceID = "mine"
}

func (o *recordingObserver) End(_ context.Context, r *ports.Observation) {
	ended := ports.Observation{Method: r.Method, Route: r.Route, Status: r.Status, Path: r.Path}
	if r.Took > 0 {
		o.ended = append(o.ended, ended)
	}
}

func TestObserverIsCalledOncePerRequest(t *testing.T) {
	for name, c := range map[string]struct {
		r     *http.Request
		users stubUsers
		want  ports.Observation
	}{
		"a list":              {newGet("/rest/user?auth_key=good"), noRows, ports.Observation{Method: "GET", Route: "/rest/user", Path: "/rest/user", Status: 200}},
		"a record":            {newGet("/rest/user/7?auth_key=good"), twoRows, ports.Observation{Method: "GET", Route: "/rest/user/{id}", Path: "/rest/user/7", Status: 200}},
		"a panic":             {newGet("/rest/user?auth_key=good"), func(context.Context) (*readmodel.Rows, error) { panic("no") }, ports.Observation{Method: "GET", Route: "/rest/user", Path: "/rest/user", Status: 500}},
		"no such path":        {newGet("/a/b"), noRows, ports.Observation{Method: "GET", Route: "unmatched", Path: "/a/b", Status: 404}},
		"an unknown method":   {httptest.NewRequest("BREW", "/version", nil), noRows, ports.Observation{Method: "OTHER", Route: "/version", Path: "/version", Status: 405}},
		"an aborted response": {newGet("/rest/user?auth_key=good"), func(context.Context) (*readmodel.Rows, error) { panic(http.ErrAbortHandler) }, ports.Observation{Method: "GET", Route: "/rest/user", Path: "/rest/user", Status: 200}},
	} {
		t.Run(name, func(t *testing.T) {
			o := &recordingObserver{}
			func() {
				defer func() {
					if cause := recover(); cause != nil && cause != any(http.ErrAbortHandler) {
						t.Errorf("panic: %v", cause)
					}
				}()
				_, log := do(c.r, c.users, func(c *Config) { c.Observer = o })
				if event := logEvent(t, log); event["trace_id"] != "mine" {
					t.Errorf("the trace is not in the log: %s", log)
				}
			}()
			if diff := cmp.Diff([]ports.Observation{c.want}, o.ended, cmp.AllowUnexported(ports.Observation{})); diff != "" || o.begun != 1 {
				t.Errorf("%d requests begun, -want +got\n%s", o.begun, diff)
			}
		})
	}
}
