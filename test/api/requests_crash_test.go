package api_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/test/pgproxy"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

// contract 4.61, 4.62
func TestIdempotencyKeyReplaysAfterCrashBeforeResponse(t *testing.T) {
	t.Parallel()
	onlyDefaultCompany(t, "connections to workers go past the proxy")
	s := startBilling(t)
	file := testprogram.Path(t)
	body, err := json.Marshal(bill(fields{"items": []fields{goods("pens", 2, 3)}}))
	if err != nil {
		t.Fatal(err)
	}
	create := func(address string) (*http.Response, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/rest/invoice?_format=json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.tokens["manager"])
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", "k")
		return http.DefaultClient.Do(request)
	}

	proxy := pgproxy.Open(t, s.served)
	process, address := program{t, file, proxy.URL}.serve()
	invoices := pgtest.Pool(t, s.database)
	kill := func() bool {
		var created bool // other commits may be those of the read model worker
		err := invoices.QueryRow(t.Context(), "select exists (select from invoices)").Scan(&created)
		if err != nil || created {
			_ = process.Kill()
		}
		return err != nil || created
	}
	proxy.CutAfterCommit(kill)
	if response, err := create(address); err == nil {
		response.Body.Close()
		t.Fatalf("the killed service returned %d", response.StatusCode)
	}
	if n := s.count("invoices", "true"); n != 1 {
		t.Fatalf("there are %d invoices after the crash", n)
	}

	_, address = program{t, file, s.served}.serve()
	response, err := create(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK || response.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the repeated request returned %d %v\n%s", response.StatusCode, response.Header, got)
	}
	if want := s.as("manager").get("/rest/invoice/1").wants(http.StatusOK).body; string(got) != want {
		t.Errorf("the first response was\n%s\nthe invoice is\n%s", got, want)
	}
	if n := s.count("invoices", "true") + s.count("deals", "true") + s.count("invoice_lines", "true"); n != 3 {
		t.Errorf("%d rows are there instead of one invoice, its deal and its line", n)
	}
}

// contract 3.24, 3.29
func TestUpdateWithLostCommitReportsUnknownOutcome(t *testing.T) {
	t.Parallel()
	s, proxy := serveThroughProxy(t)
	s.addUser("admin", "Ada", "Min", user.Admin)
	s.as("admin").post("/rest/client", fields{"name": "Anna", "type": 2}).wants(http.StatusOK)
	proxy.CutAfterCommit(func() bool { return true })
	admin := s.as("admin")
	for _, response := range []*reply{admin.put("/rest/client/1", fields{"name": "Berta"}), admin.delete("/rest/client/1")} {
		if p := response.rejected(http.StatusServiceUnavailable); p.Type != "urn:kontor:outcome-unknown" {
			t.Errorf("%s: %+v", response.what, p)
		}
	}
}

// contract 1.35, 3.24
func TestWriteCanceledDuringCommitReportsUnknownOutcome(t *testing.T) {
	t.Parallel()
	s, proxy := serveThroughProxy(t)
	s.addUser("admin", "Ada", "Min", user.Admin)
	s.as("admin").get("/rest/user").wants(http.StatusOK) // which commits the use of the token
	ctx, cut := context.WithCancelCause(t.Context())
	checkResponse := make(chan struct{})
	proxy.CutAfterCommit(func() bool {
		cut(traffic.ErrShutdown)
		<-checkResponse // the service does not get the confirmation of the commit
		return true
	})
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/rest/client", strings.NewReader(`{"name":"Anna","type":2}`))
	request.Header.Set("Authorization", "Bearer "+s.tokens["admin"])
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	s.running.Handler.ServeHTTP(response, request)
	close(checkResponse)
	if response.Code != http.StatusServiceUnavailable || response.Header().Get("Retry-After") == "" || !strings.Contains(response.Body.String(), "urn:kontor:outcome-unknown") {
		t.Errorf("the write returned %d %v\n%s", response.Code, response.Header(), response.Body)
	}
}
