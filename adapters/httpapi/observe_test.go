package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/ports/tenant"
)

func isMedia(contentType, want string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == want
}

// contract 5.12
func TestLogRedactsTokensInAddresses(t *testing.T) {
	for raw, want := range map[string]string{
		"/rest/client":                              "/rest/client",
		"/rest/client?name=a%20b&page=2":            "/rest/client?name=a%20b&page=2",
		"/rest/client?auth_key=kt_1":                "/rest/client?auth_key=REDACTED",
		"/rest/client?page=2&access-token=kt_1&a=b": "/rest/client?page=2&access-token=REDACTED&a=b",
		"/rest/client?auth_key=kt_1&auth_key=kt_2":  "/rest/client?auth_key=REDACTED&auth_key=REDACTED",
		"/rest/client?auth%5Fkey=kt_1":              "/rest/client?auth%5Fkey=REDACTED",
		"/rest/client?%61uth_key=kt_1=2":            "/rest/client?%61uth_key=REDACTED",
		"/rest/client?auth_key":                     "/rest/client?auth_key=REDACTED",
		"/rest/client?a=1;auth_key=kt_1;b=2":        "/rest/client?a=1;auth_key=REDACTED;b=2",
		"/rest/client?auth_key=kt_1;2":              "/rest/client?auth_key=REDACTED;2",
		"/rest/client?&&name=a&":                    "/rest/client?&&name=a",
		"/rest/client?name=auth_key":                "/rest/client?name=auth_key",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := redact(u); got != want {
			t.Errorf("%s is logged as %s, want %s", raw, got, want)
		}
	}
}

// stubTokens has one valid token, good, which belongs to a viewer.
type stubTokens struct{}

func (stubTokens) Mint() (ports.Secret, error) {
	return ports.Secret{}, errors.New("nothing is minted here")
}

func (stubTokens) Read(raw string) (ports.Secret, bool) { return ports.Secret{PublicID: raw}, true }

func (stubTokens) Find(_ context.Context, publicID string) (repository.Grant, error) {
	if publicID != "good" {
		return repository.Grant{}, fault.New(fault.NotFound, "there is no such token")
	}
	return repository.Grant{Token: token.State{ID: 1, UserID: 1, PublicID: publicID, LastUsedAt: time.Now()}, Role: user.Viewer}, nil
}

func (stubTokens) PublicIDs(context.Context, time.Time, int) ([]string, error) {
	return []string{"good"}, nil
}

func (stubTokens) Touch(context.Context, token.ID, time.Time) error { return nil }

func (stubTokens) Now() time.Time { return time.Now() }

func (stubTokens) Elapsed() time.Duration { return 0 }

// stubUsers is a reader with a fixed result.
type stubUsers func(ctx context.Context) (*readmodel.Rows, error)

func (s stubUsers) List(ctx context.Context, _ readmodel.Query[readmodel.NoFilter]) (*readmodel.Rows, error) {
	return s(ctx)
}

// Export has the result as its only rows, and then the errors of further calls.
func (s stubUsers) Export(_ context.Context, _ readmodel.Query[readmodel.NoFilter]) (readmodel.Export, error) {
	return stubExport(s), nil
}

type stubExport stubUsers

func (s stubExport) Next(ctx context.Context) (*readmodel.Rows, error) { return s(ctx) }

func (stubExport) Close(context.Context) {}

func (s stubUsers) Read(ctx context.Context, _ int64, _ *readmodel.Selection) (*readmodel.Rows, error) {
	return s(ctx)
}

// companyWith is a company with those resources, which knows the token good.
func companyWith(resources ...Resource) *Tenant {
	return NewTenant(tenant.Tenant{}, access.NewAuthenticator(stubTokens{}, stubTokens{}, stubTokens{}), resources)
}

// do sends a request to an API with only the resource user, and returns the response and
// the log.
func do(r *http.Request, users stubUsers, options ...func(*Config)) (w *httptest.ResponseRecorder, log string) {
	return doWith(Users(users), r, options...)
}

// doWith is do with another resource.
func doWith(resource Resource, r *http.Request, options ...func(*Config)) (w *httptest.ResponseRecorder, log string) {
	var lines bytes.Buffer
	config := Config{DefaultFormat: AlwaysJSON, MaxBody: 1 << 10, RequestTimeout: 100 * time.Millisecond}
	for _, option := range options {
		option(&config)
	}
	handler := New(config, companyWith(resource),
		func(context.Context) error { return errors.New("no connection") },
		slog.New(slog.NewJSONHandler(&lines, nil)))
	w = httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w, lines.String()
}

func noRows(context.Context) (*readmodel.Rows, error) { return readmodel.NewRows(7), nil }

// contract 3.15
func TestLogHasInternalErrorsByRequestID(t *testing.T) {
	for name, users := range map[string]stubUsers{
		"an error": func(context.Context) (*readmodel.Rows, error) { return nil, errors.New("disk failure") },
		"a panic":  func(context.Context) (*readmodel.Rows, error) { panic("disk failure") },
	} {
		t.Run(name, func(t *testing.T) {
			w, log := do(newGet("/rest/user?auth_key=good"), users)
			var p struct {
				Status    int    `json:"status"`
				RequestID string `json:"request_id"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
				t.Fatal(err)
			}
			if w.Code != 500 || p.Status != 500 || p.RequestID == "" || p.RequestID != w.Header().Get("X-Request-Id") {
				t.Errorf("the response is %d: %s", w.Code, w.Body)
			}
			if strings.Contains(w.Body.String(), "disk") {
				t.Errorf("the response contains the cause: %s", w.Body)
			}
			if !strings.Contains(log, "disk failure") || strings.Count(log, p.RequestID) != 1 || !strings.Contains(log, `"level":"ERROR"`) {
				t.Errorf("the log has no cause for %s:\n%s", p.RequestID, log)
			}
		})
	}
}

// contract 1.19, 3.22
func TestRequestTimeoutIsUnavailable(t *testing.T) {
	w, _ := do(newGet("/rest/user?auth_key=good"), func(ctx context.Context) (*readmodel.Rows, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("the response is %d with Retry-After %q, want 503 with one", w.Code, w.Header().Get("Retry-After"))
	}
}

func TestServiceRoutesRespond(t *testing.T) {
	for name, c := range map[string]struct {
		r      *http.Request
		status int
	}{
		"contract 1.17":                          {newGet("/healthz"), 200},
		"contract 1.18":                          {newGet("/readyz"), 503},
		"contract 3.12, no such path":            {newGet("/nowhere"), 404},
		"contract 5.3, without a token":          {newGet("/rest/nowhere"), 401},
		"contract 5.3, with a token":             {newGet("/rest/nowhere?auth_key=good"), 404},
		"contract 3.10, with an invalid token":   {newGet("/rest/user?auth_key=bad"), 401},
		"contract 3.12, an id of zero":           {newGet("/rest/user/0?auth_key=good"), 404},
		"contract 3.12, an id with a sign":       {newGet("/rest/user/+1?auth_key=good"), 404},
		"contract 3.12, an id that is too large": {newGet("/rest/user/9223372036854775808?auth_key=good"), 404},
		"contract 4.65, a trailing slash":        {newGet("/rest/user/?auth_key=good"), 200},
		"only slashes":                           {newGet("///"), 404},
		"contract 2.5":                           {newGet("/rest/user?auth_key=good&_format=yaml"), 406},
		"contract 3.25, a token before a format": {newGet("/rest/user?_format=yaml"), 401},
		"contract 3.25, an id before a format":   {newGet("/rest/user/x?auth_key=good&_format=yaml"), 404},
		"contract 3.25, a format before a field": {newGet("/rest/user?auth_key=good&_format=yaml&fields=x"), 406},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := do(c.r, noRows)
			if w.Code != c.status {
				t.Errorf("the response is %d, want %d: %s", w.Code, c.status, w.Body)
			}
			if challenge := w.Header().Get("WWW-Authenticate"); (c.status == 401) != (challenge == `Bearer realm="kontor"`) {
				t.Errorf("a %d has the challenge %q", c.status, challenge)
			}
		})
	}
}
