package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/traffic"
	"github.com/kontor-crm/kontor/domain/user"
)

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
		var created bool // other commits may be those of background work
		if err := s.pool.QueryRow(context.WithoutCancel(ctx), "select exists (select from clients)").Scan(&created); err != nil || !created {
			return false
		}
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
