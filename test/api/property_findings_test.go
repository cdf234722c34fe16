package api_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Regression tests for failures found by random requests, minimized.

// contract 10.79: without the discount the total is too large.
func TestInvoiceItemDeleteOverflowingTotalIsRejected(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	const huge = "999999999999"
	manager.post("/rest/invoice", bill(fields{"performer_id": 2, "items": []fields{goods("a", huge, 600), goods("less", huge, -300), goods("b", huge, 600)}})).wants(http.StatusOK)
	before := manager.get("/rest/invoice/1?expand=items").body
	if got := manager.delete("/rest/invoice-items/2").wrongFields(); !cmp.Equal(got, []string{"total_price"}) {
		t.Errorf("wrong fields %v", got)
	}
	if after := manager.get("/rest/invoice/1?expand=items").body; after != before {
		t.Errorf("a rejected write changed it: %s", after)
	}
}

// contract 3.3
func TestValidationReportsEachFieldOnce(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	line := fieldsWith(goods("x", "999999999999", 1001), fields{"items_total_price": "1000000000000000"})
	got := s.as("manager").post("/rest/invoice", bill(fields{"items": []fields{line}})).wrongFields()
	if !cmp.Equal(got, []string{"items[0].items_total_price"}) {
		t.Errorf("wrong fields %v", got)
	}
}

// contract 3.30: an unreadable parameter is not ignored, which would return the
// whole list.
func TestUnreadableParameterIsRejected(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for _, query := range []string{"name=%zz", "name=a%", "name=Acme;type=1", "fields=id&sort=%f"} {
		q := request{method: http.MethodGet, path: "/rest/client", query: query, header: s.as("viewer").headers}
		response := q.send(s)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d", query, response.StatusCode)
		}
	}
}
