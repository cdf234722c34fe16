package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// leakRequest is a request, with the expected status for a valid token.
type leakRequest struct {
	method, path, body string
	headers            string // name: value
	status             int
}

// usual are requests of all kinds, rejected ones included.
var usual = []leakRequest{
	{http.MethodGet, "/rest/client?per_page=1", "", "Server-Timing: 1", 200},
	{http.MethodGet, "/rest/client?per_page=1&_format=xml", "", "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", 200},
	{http.MethodPost, "/rest/client", `{"name":"Acme","type":1}`, "Idempotency-Key: once", 200},
	{http.MethodPatch, "/rest/client/1", `{"email":"a@example.org"}`, "", 200},
	{http.MethodGet, "/rest/client/1", "", "If-None-Match: *", 304},
	{http.MethodHead, "/rest/client", "", "", 200},
	{http.MethodGet, "/rest/client?sort=colour", "", "", 400},
	{http.MethodGet, "/rest/client?%zz", "", "", 400},
	{http.MethodPost, "/rest/client", `{"name":`, "", 400},
	{http.MethodGet, "/rest/client/4711", "", "", 404},
	{http.MethodGet, "/rest/nowhere", "", "", 404},
	{http.MethodDelete, "/rest/client", "", "", 405},
	{http.MethodGet, "/rest/client", "", "Accept: image/png", 406},
	{http.MethodDelete, "/rest/user/1", "", "", 405},
	{http.MethodPatch, "/rest/client/1", `{"email":"b@example.org"}`, `If-Match: "77-x"`, 412},
	{http.MethodPost, "/rest/client", strings.Repeat(" ", 5000), "", 413},
	{http.MethodPost, "/rest/client", "x", "Content-Type: text/plain", 415},
	{http.MethodPost, "/rest/client", `{"name":"","type":7}`, "", 422},
}

// send sends a request with a token in a place, from a client address of its own,
// and records the response, except for the URLs in Link, which contain a token that
// was in the query (clause 5.6).
func (w *observed) send(q leakRequest, place string, c credentials) int {
	w.t.Helper()
	w.sent++
	r := httptest.NewRequestWithContext(w.t.Context(), q.method, q.path, strings.NewReader(q.body))
	r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:4711", w.sent>>16, w.sent>>8&0xff, w.sent&0xff)
	r.Header.Set("Content-Type", "application/json")
	if name, value, ok := strings.Cut(q.headers, ": "); ok {
		r.Header.Set(name, value)
	}
	places[place](r, c.token)
	answer := httptest.NewRecorder()
	w.service.Handler.ServeHTTP(answer, r)
	if link := answer.Header().Get("Link"); link != "" {
		if inQuery := place == "5.1a" || place == "5.1b"; inQuery != strings.Contains(link, c.token) || answer.Code != http.StatusOK {
			w.t.Errorf("%s in %s: the response is %d with the Link %s", q.path, place, answer.Code, strings.ReplaceAll(link, c.token, "(the token)"))
		}
		answer.Header().Del("Link")
	}
	fmt.Fprintln(&w.responses, answer.Code, answer.Header(), answer.Body)
	if w.observer != nil {
		w.observe()
	}
	return answer.Code
}

// sendAll sends requests in all places with the tokens, and checks the statuses for
// the valid one.
func (w *observed) sendAll(requests []leakRequest, names ...string) {
	w.t.Helper()
	for _, name := range names {
		for place := range places {
			for _, q := range requests {
				want := q.status
				if name != "good" && name != "unseen" && want < 500 {
					want = http.StatusUnauthorized
				}
				if got := w.send(q, place, w.tokens[name]); got != want {
					w.t.Errorf("%s %s with the token that is %s in %s returns %d, want %d", q.method, q.path, name, place, got, want)
				}
			}
		}
	}
}

// Valid, expired, revoked and forged tokens are sent in every place to a service with all logging and
// tracing enabled, on a PostgreSQL that logs every statement, and then searched in all output.
//
// contract 3.6, 5.1, 5.6, 5.12
func TestTokensAreNotInAnyOutput(t *testing.T) {
	w := observe(t)
	all := []string{"good", "expired", "revoked", "made up", "another's secret", "of another form"}
	w.sendAll(usual, all...)
	for range 70 { // from one address, up to its rate limit
		w.sent--
		w.send(usual[0], "5.1a", w.tokens["made up"])
	}

	w.order("alter table clients rename to clients_gone")
	w.sendAll([]leakRequest{{method: http.MethodGet, path: "/rest/client", status: 500}}, "good")
	w.order("alter table clients_gone rename to clients")
	w.order("alter table tokens rename to tokens_gone")
	w.sendAll([]leakRequest{{method: http.MethodGet, path: "/rest/client", status: 500}}, "unseen")
	w.order("alter table tokens_gone rename to tokens")
	shown := w.shown()
	w.stop()
	w.sendAll([]leakRequest{{method: http.MethodGet, path: "/rest/client", status: 503}}, "good", "unseen")
	w.closeAll() // sends the last traces

	outputs := map[string]string{
		"the log": w.log.String(), "the traces": w.traces.String(), "what operators are shown": shown + w.shown(),
		"the answers": w.responses.String(), "PostgreSQL's log": w.databaseLog(), "PostgreSQL's activity": w.activity.String(),
	}
	w.assertRecorded(outputs)
	for _, c := range w.tokens {
		public, _ := c.parts()
		for where, text := range outputs {
			for what, trace := range c.traces() {
				if strings.Contains(text, trace) {
					t.Errorf("the %s of the token that is %s is in %s: %s", what, c.name, where, around(text, trace))
				}
			}
			if where != "PostgreSQL's log" && public != "" && strings.Contains(text, public) {
				t.Errorf("the public part of the token that is %s is in %s: %s", c.name, where, around(text, public))
			}
		}
	}
	for _, name := range []string{"auth_key", "access-token"} {
		if got, want := strings.Count(outputs["the log"], name+"="), strings.Count(outputs["the log"], name+"=REDACTED"); got != want || want < len(usual) {
			t.Errorf("of %d URLs with %s %d are redacted", got, name, want)
		}
	}
}

// assertRecorded ends the test if an output was not recorded.
func (w *observed) assertRecorded(outputs map[string]string) {
	w.t.Helper()
	public, _ := w.tokens["made up"].parts()
	want := map[string][]string{
		"the log":                  {`"level":"DEBUG"`, `"status":413`, `"status":429`, `"status":500`, `"status":503`, `"error":"`},
		"the traces":               {"GET /rest/client", "POST /rest/client", "public_id = $1", "42P01"},
		"what operators are shown": {"kontor_tokens_rejected_total ", "kontor_rate_limited_total ", "goroutine "},
		"the answers":              {"401 map[", "422 map[", "429 map[", "503 map[", "Www-Authenticate", "Server-Timing"},
		"PostgreSQL's log":         {"public_id = $1", "parameters: $1 = '" + public + "'", "does not exist"},
		"PostgreSQL's activity":    {"public_id = $1"},
	}
	if strings.Contains(outputs["PostgreSQL's log"], "auto_explain.log_analyze") {
		want["PostgreSQL's log"] = append(want["PostgreSQL's log"], "plan:", "actual time=")
	}
	for line := range strings.Lines(outputs["PostgreSQL's log"]) {
		if len(line) >= 4096 {
			w.t.Fatalf("PostgreSQL's log has a line that may have been cut: %.200q", line)
		}
	}
	for where, parts := range want {
		for _, part := range parts {
			if !strings.Contains(outputs[where], part) {
				w.t.Fatalf("%s has no %q, which the test expects: %.2000q", where, part, outputs[where])
			}
		}
	}
}

// around returns the text around the first occurrence of a part.
func around(text, part string) string {
	at := strings.Index(text, part)
	line := text[max(0, at-200):min(len(text), at+len(part)+50)]
	return strings.Join(slices.Collect(strings.FieldsSeq(line)), " ")
}
