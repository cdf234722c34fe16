package api_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	problems "github.com/kontor-crm/kontor/adapters/httpapi/problem"
	"github.com/kontor-crm/kontor/domain/fault"
)

// contract 3.1, 3.4, 3.6
func TestPropertyRandomRequestsNeverFailInternally(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.loadDemo()
	s.nobody().becomes(http.StatusOK)
	routes := map[string][]apidoc.Operation{}
	for _, r := range operations() {
		_, path, _ := strings.Cut(r.Path, "/")
		name, _, _ := strings.Cut(strings.TrimPrefix(path, "rest/"), "/")
		routes[name] = append(routes[name], r)
	}
	for _, name := range slices.Sorted(maps.Keys(routes)) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			in := s.within(t)
			for range rapid.IntRange(1, 10).Draw(t, "requests") {
				q := drawRequest(t, in, routes[name])
				in.checkInvariants(q.send(in), q)
			}
		}))
	}
}

// request is a request that may be malformed in any part.
type request struct {
	method, path, query string
	header              http.Header
	body                string
}

func (q request) send(s *service) *http.Response {
	s.t.Helper()
	address, err := url.Parse(s.url + q.path)
	if err != nil {
		s.t.Fatal(err)
	}
	address.RawQuery = q.query
	r := (&http.Request{Method: q.method, URL: address, Header: q.header}).WithContext(s.t.Context())
	if q.body != "" {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(q.body)), int64(len(q.body))
	}
	response, err := http.DefaultTransport.RoundTrip(r) // without redirects and added headers
	if err != nil {
		s.t.Fatalf("%+v: %v", q, err)
	}
	return response
}

// checkInvariants checks what holds for every response.
func (s *service) checkInvariants(response *http.Response, q request) {
	s.t.Helper()
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	kind, status := response.Header.Get("Content-Type"), response.StatusCode
	fail := func(why string) {
		s.t.Helper()
		s.t.Fatalf("%+v\n%s: status %d, %s\n%s", q, why, status, kind, body)
	}
	if status >= http.StatusInternalServerError {
		fail("an internal error")
	}
	if status == http.StatusNoContent || status == http.StatusNotModified || q.method == http.MethodHead {
		if len(body) > 0 {
			fail("an unexpected body")
		}
		return
	}
	if status == http.StatusSeeOther && q.header.Get("Accept") == "text/html" && strings.HasPrefix(response.Header.Get("Location"), "/login?next=") {
		return
	}
	problem, wants := "", ""
	if status != http.StatusOK {
		problem = "problem+"
		wants = map[int]string{http.StatusUnauthorized: "WWW-Authenticate", http.StatusMethodNotAllowed: "Allow"}[status]
	}
	if wants != "" && response.Header.Get(wants) == "" {
		fail("no " + wants)
	}
	switch isFile := status == http.StatusOK && !negotiates(q.method, strings.TrimRight(q.path, "/")); {
	case isFile && kind != "":
	case kind == "application/"+problem+"json; charset=utf-8":
		err = checkJSON(body, status)
	case kind == "application/"+problem+"xml; charset=utf-8":
		err = checkXML(body, status)
	case kind == "text/html; charset=utf-8":
		if page := string(body); q.header.Get("Accept") != "text/html" || !strings.HasPrefix(page, "<!doctype html>") || !strings.HasSuffix(strings.TrimSpace(page), "</html>") {
			err = errors.New("an unexpected page")
		}
	default:
		err = errors.New("an unexpected content type")
	}
	if err != nil {
		fail(err.Error())
	}
	for _, inside := range append(slices.Collect(maps.Values(s.tokens)), "SQLSTATE", "goroutine", "panic") {
		if bytes.Contains(body, []byte(inside)) {
			fail("the response contains " + inside)
		}
	}
}

// problemDocument is a problem document without other attributes.
type problemDocument struct {
	XMLName   xml.Name        `json:"-" xml:"urn:ietf:rfc:7807 problem"`
	Type      string          `json:"type" xml:"type"`
	Title     string          `json:"title" xml:"title"`
	Status    int             `json:"status" xml:"status"`
	Code      fault.Code      `json:"code" xml:"code"`
	Detail    string          `json:"detail" xml:"detail"`
	Message   string          `json:"message" xml:"message"`
	RequestID string          `json:"request_id" xml:"request_id"`
	Errors    []rejectedField `json:"errors" xml:"errors>error"`
	// References are the numbers of records that refer to one which is to be deleted.
	References struct {
		Deals     int `json:"deals" xml:"deals"`
		Invoices  int `json:"invoices" xml:"invoices"`
		Offers    int `json:"offers" xml:"offers"`
		Contracts int `json:"contracts" xml:"contracts"`
		History   int `json:"deal_history" xml:"deal_history"`
		Payments  int `json:"payments" xml:"payments"`
	} `json:"references" xml:"references"`
}

// rejectedField is an entry of errors: a field of a 422, or what a rule rejects.
type rejectedField struct {
	Field   string     `json:"field" xml:"field"`
	Code    fault.Code `json:"code" xml:"code"`
	Message string     `json:"message" xml:"message"`
	Rule    string     `json:"rule" xml:"rule"`
}

func (p problemDocument) check(status int) error {
	if p.Type == "" || p.Title != http.StatusText(status) || p.Status != status || p.Detail == "" || p.Message != p.Detail || p.RequestID == "" || !slices.Contains(problems.Codes, p.Code) {
		return errors.New("the problem does not describe the status")
	}
	if slices.ContainsFunc(p.Errors, func(e rejectedField) bool {
		return !slices.Contains(problems.Codes, e.Code) || e.Message == "" || e.Rule == "" && (e.Field == "" || status != http.StatusUnprocessableEntity)
	}) {
		return errors.New("the errors name no fields, and no rules")
	}
	return nil
}

// checkJSON checks a JSON body: a record or a list of a success, or a problem.
func checkJSON(body []byte, status int) error {
	if status == http.StatusOK {
		if !json.Valid(body) {
			return errors.New("no JSON")
		}
		return nil
	}
	var p problemDocument
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return err
	}
	if d.More() {
		return errors.New("there is data after the problem")
	}
	return p.check(status)
}

// checkXML is checkJSON for XML.
func checkXML(body []byte, status int) error {
	if status != http.StatusOK {
		var p problemDocument
		if err := xml.Unmarshal(body, &p); err != nil {
			return err
		}
		return p.check(status)
	}
	for d := xml.NewDecoder(bytes.NewReader(body)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
