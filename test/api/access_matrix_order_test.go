package api_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// attempt is a request for a route of the matrix, which may contain errors.
type attempt struct {
	id, accept, contentType, query string
	body                           any
}

// allWrong has every error that is checked before the permission, and expects a
// version that no record has.
var allWrong = attempt{id: "x", accept: "image/png", contentType: "text/plain", query: "fields=nope", body: "{"}

// errorSteps is the order in which the errors of allWrong are reported: the status of
// each, the routes on which it can occur, and its correction.
var errorSteps = []struct {
	status int
	occurs func(method, path string) bool
	fix    func(a *attempt)
}{
	{404, namesRecord, func(a *attempt) { a.id = "999999999" }},
	{406, negotiates, func(a *attempt) { a.accept = "application/json" }},
	{415, hasBody, func(a *attempt) { a.contentType = "application/json" }},
	{400, hasRecord, func(a *attempt) { a.body = fields{} }},
	{400, showsRecord, func(a *attempt) { a.query = "" }},
}

func namesRecord(_, path string) bool    { return strings.Contains(path, "{id}") }
func isPicture(path string) bool         { return strings.Contains(path, "/file/") }
func hasRecord(method, path string) bool { return hasBody(method, path) && !isPicture(path) }

// negotiates reports whether the response to the request is no file in a form of its own.
func negotiates(method, path string) bool {
	return !strings.HasSuffix(path, "/document") && (method != http.MethodGet || !isPicture(path))
}

func showsRecord(method, _ string) bool { return method != http.MethodDelete }

func hasBody(method, _ string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

// try sends the attempt as the caller.
func (m *matrixService) try(route, caller string, a attempt) *reply {
	m.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	query, _ := matrix[route].carries.(string)
	path = strings.Replace(path, "{id}", a.id, 1) + "?" + query + refQuery(method, path) + "&" + a.query
	if !hasBody(method, path) {
		a.body = nil
	}
	if isPicture(path) && a.contentType == "application/json" {
		a.contentType = "image/png"
	}
	return m.caller(caller).with("Accept", a.accept).with("Content-Type", a.contentType).with("If-Match", `"999-0"`).send(method, path, a.body)
}

// statusOnceFixed is the status of a request whose only errors are that its record
// does not exist and that its body is empty.
func statusOnceFixed(route, caller string) int {
	method, path, _ := strings.Cut(route, " ")
	may := matrix[route].of(caller)
	switch {
	case may != 200:
		return may
	case namesRecord(method, path):
		return 404
	case method == http.MethodPost:
		return 422
	case method == http.MethodPut: // creates nothing with If-Match
		return 412
	}
	return 200
}

// contract 3.7, 3.10, 3.15, 3.12, 2.5, 2.23, 3.25, 3.29: the
// permission is checked before the record, so that callers without it do not learn
// which records exist.
func TestErrorOrderHoldsOnEveryRoute(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	before := m.sum()
	for _, route := range m.routes() {
		method, path, _ := strings.Cut(route, " ")
		if !strings.HasPrefix(path, "/rest/") {
			continue
		}
		for _, caller := range rolesAndNobody {
			m.run(t, route, caller, func(m *matrixService) {
				a := allWrong
				if hasNoValidToken(caller) {
					checkResponse(m.try(route, caller, a), 401)
				}
				for _, step := range errorSteps {
					if step.occurs(method, path) && !hasNoValidToken(caller) {
						checkResponse(m.try(route, caller, a), step.status)
					}
					step.fix(&a)
				}
				checkResponse(m.try(route, caller, a), statusOnceFixed(route, caller))
			})
		}
		if m.sum() != before {
			t.Errorf("%s: rejected requests changed stored data", route)
		}
	}
}

// allowed returns the methods of the paths in the matrix, with HEAD and OPTIONS.
func allowed() map[string][]string {
	paths := map[string][]string{}
	for route := range matrix {
		method, path, _ := strings.Cut(route, " ")
		paths[path] = append(paths[path], method)
		if method == http.MethodGet {
			paths[path] = append(paths[path], http.MethodHead)
		}
	}
	for path := range paths {
		paths[path] = append(paths[path], http.MethodOptions)
		slices.Sort(paths[path])
	}
	return paths
}

// allows returns the methods in the header Allow.
func (r *reply) allows() []string {
	return slices.Sorted(strings.SplitSeq(r.header.Get("Allow"), ", "))
}

var everyMethod = []string{
	http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodTrace, "PURGE",
}

// contract 1.2, 1.17, 1.18
// contract 3.10, 3.12, 3.15, 3.25, 4.65, 5.3, 1.2
func TestMethodNotAllowedListsAllowedMethods(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	paths := allowed()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, caller := range rolesAndNobody {
			m.run(t, path, caller, func(m *matrixService) {
				has := paths[path]
				options := m.caller(caller).send(http.MethodOptions, strings.Replace(path, "{id}", "1", 1), nil).wants(204)
				if got := options.allows(); !slices.Equal(got, has) || options.body != "" {
					m.t.Errorf("OPTIONS allows %v, want %v; the body is %q", got, has, options.body)
				}
				for _, method := range everyMethod {
					if !slices.Contains(has, method) {
						m.checkMissingMethod(method, path, caller, has)
					}
				}
			})
		}
	}
}

// checkMissingMethod checks that a method that the path does not have is rejected.
func (m *matrixService) checkMissingMethod(method, path, caller string, has []string) {
	m.t.Helper()
	want, wantForNoID := 405, 404
	if isUnauthenticatedAt(caller, path) {
		want, wantForNoID = 401, 401
	}
	c := m.caller(caller)
	r := checkResponse(c.send(method, strings.Replace(path, "{id}", "1", 1), nil), want)
	if want == 405 && !slices.Equal(r.allows(), has) {
		m.t.Errorf("%s %s: Allow is %v, want %v", method, path, r.allows(), has)
	}
	if strings.Contains(path, "{id}") {
		checkResponse(c.send(method, strings.Replace(path, "{id}", "x", 1), nil), wantForNoID)
	}
}

// isUnauthenticatedAt reports whether the caller gets a 401 for the path, as callers
// without a valid token do below /rest/.
func isUnauthenticatedAt(caller, path string) bool {
	return hasNoValidToken(caller) && (path == "/rest" || strings.HasPrefix(path, "/rest/"))
}

// contract 3.12, 4.65, 5.3
func TestUnknownPathWithoutTokenIsUnauthorized(t *testing.T) {
	t.Parallel()
	m := startMatrix(t)
	for _, path := range []string{
		"/rest", "/rest/", "/rest/nowhere", "/rest/nowhere/1", "/rest/deal/1/nowhere", "/rest/deal/1/history/1", "/rest/client/1/history", "/rest/users",
		"/nowhere", "/restless", "/deal",
	} {
		for _, caller := range rolesAndNobody {
			m.run(t, path, caller, func(m *matrixService) {
				want := 404
				if isUnauthenticatedAt(caller, path) {
					want = 401
				}
				for _, method := range everyMethod {
					checkResponse(m.caller(caller).send(method, path, nil), want)
				}
				m.caller(caller).send(http.MethodHead, path, nil).wants(want)
				checkResponse(m.caller(caller).send(http.MethodOptions, path, nil), 404)
			})
		}
	}
}
