// Package rest sends requests to running services, and finds addresses for them.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Client sends requests with a token, and asks for JSON.
type Client struct {
	URL   string // of the service, such as http://127.0.0.1:8080
	Token string
	HTTP  *http.Client // nil: the default one
}

// Response is a response that was read.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	Close  bool          // whether the service closes the connection
	Took   time.Duration // from the request to the end of the body
}

// IsOK reports whether the request succeeded.
func (r Response) IsOK() bool { return r.Status == http.StatusOK }

func (r Response) String() string { return fmt.Sprintf("%d %v %s", r.Status, r.Header, r.Body) }

// Send sends a request once: the transport repeats none. A body that is no text is sent as JSON; nil is none.
// The headers are names and values in turn.
func (c Client) Send(ctx context.Context, method, path string, body any, headers ...string) (got Response, err error) {
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, nil)
	if err != nil {
		return got, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	request.Header.Set("Accept", "application/json")
	content, err := encoded(body)
	if err != nil {
		return got, err
	}
	if len(content) > 0 {
		request.Header.Set("Content-Type", "application/json")
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content)) // without GetBody
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	sender := c.HTTP
	if sender == nil {
		sender = http.DefaultClient
	}
	begun := time.Now()
	response, err := sender.Do(request)
	if err != nil {
		return Response{Took: time.Since(begun)}, err
	}
	defer response.Body.Close()
	got = Response{Status: response.StatusCode, Header: response.Header, Close: response.Close}
	got.Body, err = io.ReadAll(response.Body)
	got.Took = time.Since(begun)
	return got, err
}

// encoded is a body as it is sent.
func encoded(body any) ([]byte, error) {
	switch body := body.(type) {
	case nil:
		return nil, nil
	case string:
		return []byte(body), nil
	}
	return json.Marshal(body)
}

// Call sends a request that has to succeed, and reads what the response contains into result, unless that is nil.
func (c Client) Call(ctx context.Context, method, path string, body, result any) (Response, error) {
	got, err := c.Send(ctx, method, path, body)
	if err == nil && !got.IsOK() {
		err = fmt.Errorf("%s %s: %d %s", method, path, got.Status, got.Body)
	}
	if err == nil && result != nil {
		err = json.Unmarshal(got.Body, &struct{ Response any }{result})
	}
	return got, err
}

// Create creates a record, and returns its id.
func (c Client) Create(ctx context.Context, path string, record any) (int64, error) {
	var created struct{ ID int64 }
	_, err := c.Call(ctx, http.MethodPost, path, record, &created)
	return created.ID, err
}

// Free is FreeAddress for a test.
func Free(t testing.TB) string {
	t.Helper()
	address, err := FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// given are the addresses that FreeAddress has returned.
var given sync.Map

// FreeAddress is a local address on which nothing listens, and which it returns only once. Its port is below those that systems give
// to outgoing connections: one of them could take it before the caller listens.
func FreeAddress() (string, error) {
	const first, last, attempts = 20000, 32000, 100
	var err error
	for range attempts {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(first+rand.IntN(last-first)))
		if _, isGiven := given.LoadOrStore(address, true); isGiven {
			continue
		}
		var listener net.Listener
		if listener, err = net.Listen("tcp", address); err == nil {
			return address, listener.Close()
		}
	}
	return "", fmt.Errorf("find a free port: %w", err)
}
