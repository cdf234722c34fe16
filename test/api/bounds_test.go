package api_test

import (
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

const (
	// maxAllocatedBytes is the total that one request may allocate, in the service and
	// in the client in this process.
	maxAllocatedBytes = 250_000_000 + raceBytes
	// maxResponseBytes is the maximum size of a rejection with its headers.
	maxResponseBytes = 1 << 20
)

// costly is an expensive request.
type costly struct {
	name, method, path, body string
	header                   [2]string // name and value; optional
	status                   int
}

// cost is the resource usage of a request.
type cost struct {
	status        int
	checkResponse int
	allocated     uint64
	statements    int
	body          string
}

// costOf sends the request as the manager. No other request may run meanwhile.
func (s *service) costOf(c costly) (took cost) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), c.method, s.url+c.path, strings.NewReader(c.body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + s.tokens["manager"]}, "Accept": {"application/json"}, "Server-Timing": {"1"}}
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.header[0] != "" {
		r.Header.Set(c.header[0], c.header[1])
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	took.status, took.allocated, took.body = response.StatusCode, after.TotalAlloc-before.TotalAlloc, string(body)
	took.checkResponse = len(body)
	for _, values := range response.Header {
		took.checkResponse += len(strings.Join(values, ""))
	}
	if _, desc, ok := strings.Cut(response.Header.Get("Server-Timing"), `desc="`); ok {
		count, _, _ := strings.Cut(desc, " ")
		if took.statements, err = strconv.Atoi(count); err != nil {
			s.t.Fatal(err)
		}
	}
	return took
}

// repeat returns the part n times, comma-separated.
func repeat(n int, part string) string { return strings.TrimSuffix(strings.Repeat(part+",", n), ",") }

// billOf returns the body of an invoice with the lines.
func billOf(lines string) string {
	return `{"number":"R","date":"2024-03-09","performer_id":1,"client_id":1,"type_id":1,"items":[` + lines + `]}`
}

// tags returns n different entity tags that no record has.
func tags(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"` + strconv.Itoa(i+1000) + `",`)
	}
	return b.String()
}

const wholeLine = `{"name":"Oak bed","units":"pcs","items_count":12.5,"item_price":"12.40","items_total_price":155}`

// This test is not parallel, because it measures the process.
//
// contract 2.39, 3.12, 2.23, 3.15, 4.31, 4.103, 4.78, 10.7, 10.79, 10.97
func TestRequestLimitsRejectOversizedInput(t *testing.T) {
	s := startBilling(t)
	s.costOf(costly{method: "POST", path: "/rest/invoice", body: billOf(wholeLine), status: 200})
	const get, post, patch = http.MethodGet, http.MethodPost, http.MethodPatch
	most := uint64(0)
	for _, c := range []costly{
		{name: "10,000 lines with all their attributes", method: post, path: "/rest/invoice", body: billOf(repeat(10_000, wholeLine)), status: 200},
		{name: "10,000 other lines instead", method: patch, path: "/rest/invoice/2", body: `{"items":[` + repeat(10_000, `{"name":"x"}`) + `]}`, status: 200},
		{name: "10,000 lines are shown", method: get, path: "/rest/invoice/2?expand=items", status: 200},
		{name: "one line more", method: post, path: "/rest/invoice", body: billOf(repeat(10_001, `{"name":"x"}`)), status: 422},
		{name: "as many lines as values", method: post, path: "/rest/invoice", body: billOf(repeat(49_990, `{"name":"x"}`)), status: 422},
		{name: "too many lines", method: post, path: "/rest/invoice", body: billOf(repeat(50_000, `{"name":"x"}`)), status: 400},
		{name: "100,000 lines without a name", method: post, path: "/rest/invoice", body: billOf(repeat(100_000, "{}")), status: 400},
		{name: "lines without a name", method: post, path: "/rest/invoice", body: billOf(repeat(99_990, "{}")), status: 422},
		{name: "lines with nothing that is right", method: post, path: "/rest/invoice", body: billOf(repeat(30_000, `{"id":"x","item_price":"x"}`)), status: 422},
		{name: "one line again and again", method: patch, path: "/rest/invoice/1", body: `{"items":[` + repeat(49_990, `{"id":1}`) + `]}`, status: 422},
		{name: "a number of a million digits", method: post, path: "/rest/invoice", body: billOf(`{"name":"x","price":0.` + strings.Repeat("0", 1_000_000) + `1}`), status: 422},
		{name: "a number with a large exponent", method: post, path: "/rest/invoice", body: billOf(`{"name":"x","price":1e999999999}`), status: 422},
		{name: "a name of a million letters", method: post, path: "/rest/client", body: `{"type":1,"name":"` + strings.Repeat("x", 1_000_000) + `"}`, status: 422},
		{name: "an email of a million letters", method: post, path: "/rest/client", body: `{"type":1,"name":"x","email":"` + strings.Repeat("x@", 500_000) + `"}`, status: 422},
		{name: "a body of more than 1 MiB", method: post, path: "/rest/client", body: strings.Repeat(" ", 1<<20+1), status: 413},
		{name: "the last day", method: post, path: "/rest/invoice", body: strings.Replace(billOf(""), "2024-03-09", "9999-12-31", 1), status: 200},
		{name: "a day behind it", method: post, path: "/rest/invoice", body: strings.Replace(billOf(""), "2024-03-09", "292277026596-12-04", 1), status: 422},
		{name: "a year behind it", method: get, path: "/rest/invoice?year=292277026596", status: 400},
		{name: "a filter of letters that LIKE knows", method: get, path: "/rest/client?name=" + strings.Repeat("%25_%5C", 85), status: 200},
		{name: "a filter of 256 letters", method: get, path: "/rest/client?name=" + strings.Repeat("%25", 256), status: 400},
		{name: "a filter of 64 kB", method: get, path: "/rest/client?name=" + strings.Repeat("%25_", 16_384), status: 400},
		{name: "a query of 1 MB", method: get, path: "/rest/client?x=" + strings.Repeat("x", 1_000_000), status: 400},
		{name: "parameters of 1 MB", method: get, path: "/rest/client?" + strings.Repeat("a&", 500_000), status: 400},
		{name: "100,000 fields", method: get, path: "/rest/deal?fields=" + repeat(100_000, "client_id"), status: 400},
		{name: "many fields", method: get, path: "/rest/deal?fields=" + repeat(400, "client_id") + "&expand=" + repeat(800, "type"), status: 200},
		{name: "100,000 expansions", method: get, path: "/rest/deal?expand=" + repeat(100_000, "type"), status: 400},
		{name: "100,000 sorts", method: get, path: "/rest/deal?sort=" + repeat(100_000, "name"), status: 400},
		{name: "the last page", method: get, path: "/rest/deal?page=18446744073709551&per_page=500&sort=name", status: 200},
		{name: "a page behind it", method: get, path: "/rest/deal?page=9223372036854775807", status: 400},
		{name: "a path of 1 MB", method: get, path: "/rest/client/" + strings.Repeat("1", 1_000_000), status: 404},
		{name: "a header of 1 MB", method: get, path: "/rest/client", header: [2]string{"Accept", strings.Repeat("a/b,", 250_000)}, status: 406},
		{name: "headers of more", method: get, path: "/rest/client", header: [2]string{"Accept", strings.Repeat("a/b,", 300_000)}, status: 431},
		{name: "tags of 1 MB", method: patch, path: "/rest/client/1", body: "{}", header: [2]string{"If-Match", tags(110_000)}, status: 412},
		{name: "tags of 1 MB that are asked for", method: get, path: "/rest/client/1", header: [2]string{"If-None-Match", tags(110_000)}, status: 200},
		{name: "the longest key", method: post, path: "/rest/client", body: `{"type":1,"name":"x"}`, header: [2]string{"Idempotency-Key", strings.Repeat("k", 255)}, status: 200},
		{name: "a key of 1 MB", method: post, path: "/rest/client", body: `{"type":1,"name":"x"}`, header: [2]string{"Idempotency-Key", strings.Repeat("k", 1_000_000)}, status: 400},
		{name: "a token of 1 MB", method: get, path: "/rest/client", header: [2]string{"Authorization", "Bearer kt_" + strings.Repeat("x", 1_000_000)}, status: 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			took := s.costOf(c)
			if took.status != c.status {
				t.Errorf("status %d, want %d: %.300s", took.status, c.status, took.body)
			}
			if most = max(most, took.allocated); took.allocated > maxAllocatedBytes {
				t.Errorf("%d bytes were allocated, want at most %d", took.allocated, maxAllocatedBytes)
			}
			if took.status != http.StatusOK && took.checkResponse > maxResponseBytes {
				t.Errorf("the response has %d bytes, want at most %d", took.checkResponse, maxResponseBytes)
			}
		})
	}
	t.Logf("maximum of bytes allocated for a request: %d", most)
}
