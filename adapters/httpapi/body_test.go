package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/adapters/httpapi/problem"
)

// contract 1.19, 2.23, 2.35
func TestBodyIsReadUpToItsLimit(t *testing.T) {
	api := &API{config: Config{MaxBody: 20, MaxRequests: 1}}
	api.limits = newLimits(&api.config)
	read := func(sent string) (body.Value, error) {
		r, err := http.NewRequest(http.MethodPost, "/", strings.NewReader(sent))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		c := &call{api: api, http: r, admission: admission{limits: &api.limits}}
		defer c.leave()
		return api.readBody(c, http.Header{})
	}
	exact := `{"a":"` + strings.Repeat("x", 20-len(`{"a":""}`)) + `"}`
	if v, err := read(exact); err != nil || len(v.Fields) != 1 {
		t.Errorf("%d bytes: %v", len(exact), err)
	}
	_, err := read(exact + " ")
	if p, ok := errors.AsType[problem.Error](err); !ok || p.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("one more byte: got error %v, want 413", err)
	}
	if v, err := read(""); err != nil || v.Kind != body.Record || len(v.Fields) != 0 {
		t.Errorf("an empty body is %+v, %v; want an empty record", v, err)
	}
}

// contract 3.25: a body is not received if its headers already reject it.
func TestBodyIsNotReceivedIfItsHeadersAreRejected(t *testing.T) {
	for name, c := range map[string]struct {
		length      int64
		contentType string
		want        int
	}{
		"a declared length beyond the limit": {1 << 30, "application/json", http.StatusRequestEntityTooLarge},
		"an unsupported content type":        {1 << 9, "text/plain", http.StatusUnsupportedMediaType},
	} {
		t.Run(name, func(t *testing.T) {
			r := newGet("/rest/client", "access-token", "good", "Content-Type", c.contentType)
			r.Method, r.Body, r.ContentLength = http.MethodPost, unreadable{t}, c.length
			handler := New(Config{DefaultFormat: AlwaysJSON, MaxBody: 1 << 10, RequestTimeout: time.Minute}, companyWith(Clients(nil, nil)), nil,
				slog.New(slog.DiscardHandler))
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, r); w.Code != c.want {
				t.Errorf("the response is %d %s, want %d", w.Code, w.Body, c.want)
			}
		})
	}
}

// contract 2.23, 2.39: the client sends the rest only after the response.
func TestBodyRejectedBeforeItsEndHasItsResponseAtOnce(t *testing.T) {
	handler := New(Config{DefaultFormat: AlwaysJSON, MaxBody: 1 << 10, RequestTimeout: time.Minute}, companyWith(Clients(nil, nil)), nil,
		slog.New(slog.DiscardHandler))
	server := httptest.NewServer(handler)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	unfinished, sent := io.Pipe()
	context.AfterFunc(ctx, func() { _ = sent.Close() })
	go func() { _, _ = io.WriteString(sent, strings.Repeat(" ", 2<<10)) }()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/rest/client?auth_key=good", unfinished)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestEntityTooLarge || !response.Close {
		t.Errorf("the response is %s and closes the connection: %v", response.Status, response.Close)
	}
}

// unreadable is a body that must not be read.
type unreadable struct{ t *testing.T }

func (u unreadable) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

func (unreadable) Close() error { return nil }
