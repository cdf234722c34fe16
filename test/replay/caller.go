package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Caller sends requests to a service, in JSON. It may be used by several
// goroutines.
type Caller struct {
	base  string
	token string
	http  *http.Client
}

// NewCaller makes a caller that keeps that many connections open.
func NewCaller(base, token string, connections int) *Caller {
	return &Caller{base: base, token: token, http: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections},
		Timeout:   2 * time.Minute,
	}}
}

// How often a request that was turned away is sent, and how long it waits at
// most before it is sent again.
const (
	attempts    = 8
	longestWait = 10 * time.Second
)

// create posts a record and returns its id.
func (c *Caller) create(ctx context.Context, path string, record any) (id int64, err error) {
	body, err := json.Marshal(record)
	if err != nil {
		return 0, err
	}
	var created struct{ ID int64 }
	_, err = c.send(ctx, http.MethodPost, c.base+path, body, &created)
	return created.ID, err
}

// send sends a request, again where the service asks for patience, and reads
// what is in the answer's root into answer.
func (c *Caller) send(ctx context.Context, method, address string, body []byte, answer any) (http.Header, error) {
	for attempt := 1; ; attempt++ {
		header, err := c.try(ctx, method, address, body, answer)
		var turned turnedAway
		if !errors.As(err, &turned) || attempt == attempts {
			return header, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(turned.wait):
		}
	}
}

// turnedAway is an answer that promises that nothing was done and that it is
// worth trying again.
type turnedAway struct {
	error
	wait time.Duration
}

func (c *Caller) try(ctx context.Context, method, address string, body []byte, answer any) (http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: read the answer: %w", method, request.URL.Path, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, refusal(response, text)
	}
	if err := json.Unmarshal(text, &struct{ Response any }{answer}); err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, request.URL.Path, err)
	}
	return response.Header, nil
}

// refusal is the error of an answer that is not a success.
func refusal(response *http.Response, text []byte) error {
	err := fmt.Errorf("%s %s: %s: %s", response.Request.Method, response.Request.URL.Path, response.Status, text)
	var problem struct{ Type string }
	_ = json.Unmarshal(text, &problem) // what is no problem document has no type
	switch {
	case response.StatusCode == http.StatusTooManyRequests:
	case response.StatusCode == http.StatusServiceUnavailable && problem.Type != "urn:kontor:outcome-unknown":
	default:
		return err
	}
	seconds, parseErr := strconv.Atoi(response.Header.Get("Retry-After"))
	if parseErr != nil || seconds < 1 {
		seconds = 1
	}
	return turnedAway{error: err, wait: min(time.Duration(seconds)*time.Second, longestWait)}
}

// largestPage is how many rows the service gives at most.
const largestPage = 500

// walk calls each for all rows of a list, page after page as Link leads, and
// returns the total that the pages name. Pages that disagree about it are an
// error, and so are more rows than it says.
func walk[T any](ctx context.Context, c *Caller, path string, query url.Values, each func(T)) (total int, err error) {
	query.Set("per_page", strconv.Itoa(largestPage))
	address, seen := c.base+path+"?"+query.Encode(), 0
	for first := true; address != ""; first = false {
		var page struct{ Items []T }
		header, err := c.send(ctx, http.MethodGet, address, nil, &page)
		if err != nil {
			return 0, err
		}
		said, err := strconv.Atoi(header.Get("X_Pagination_Total_Count"))
		if err != nil {
			return 0, fmt.Errorf("%s: the total count: %w", address, err)
		}
		if !first && said != total {
			return 0, fmt.Errorf("%s: the total count is %d, before it was %d", address, said, total)
		}
		total = said
		if seen += len(page.Items); seen > total {
			return 0, fmt.Errorf("%s: %d rows and more pages to come, the total count is %d", address, seen, total)
		}
		for _, item := range page.Items {
			each(item)
		}
		address = next(header)
	}
	return total, nil
}

var link = regexp.MustCompile(`<([^>]*)>; *rel="([^"]*)"`)

// next is the address of the next page; empty on the last.
func next(header http.Header) string {
	for _, match := range link.FindAllStringSubmatch(strings.Join(header.Values("Link"), ", "), -1) {
		if match[2] == "next" {
			return match[1]
		}
	}
	return ""
}
