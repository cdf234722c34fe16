package api_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Regression tests for failures found by random requests, minimized.

// contract 10.88: without the discount the total is too large.
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

// contract 4.39, 4.40
func TestLinkEscapesNumberSign(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	q := request{method: http.MethodGet, path: "/rest/client", query: "fields=id&per_page=1&sort=id&nothing=#1", header: s.as("viewer").headers}
	response := q.send(s)
	_ = response.Body.Close()
	next := (&reply{header: response.Header}).links()["next"]
	if address, err := url.Parse(next); err != nil || address.Query().Get("page") != "2" {
		t.Fatalf("the second page is at %s", next)
	}
	if got := strings.Join(s.as("viewer").get(next).column("id"), " "); got != "2" {
		t.Errorf("the second page shows %s", got)
	}
}

// contract 3.10: a token may contain bytes that the database rejects.
func TestTokenOfInvalidUTF8IsUnauthorized(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for _, octets := range []string{"\x00", "\xff", "\u00e4"} {
		token := "kt_" + strings.Repeat(octets, 12/len(octets)) + "_" + strings.Repeat("x", 43)
		s.nobody().get("/rest/client?auth_key=" + url.QueryEscape(token)).rejected(http.StatusUnauthorized)
	}
}

// contract 4.86: Go accepts times that the database does not.
func TestCursorWithInvalidTimeIsRejected(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for key, want := range map[string]int{
		"2024-03-09 16:05:00+00": 200, "2024-03-09 16:05:00.123456+05:30": 200, "9999-12-31 23:59:59-15:59:59": 200,
		"0000-01-01 00:00:00+00": 400, "2024-03-09 16:05:00,5+00": 400, "2024-03-09 16:05:00+16": 400, "2024-03-09  9:05:00+00": 400,
	} {
		cursor := base64.RawURLEncoding.EncodeToString([]byte("clients-created_at\x1fa\x1f1\x1f=" + key))
		s.as("viewer").get("/rest/client?cursor=" + cursor).wants(want)
	}
}

// contract 4.31, 4.32
func TestPageNumberBeyondEndIsEmpty(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for _, query := range []string{"", "&sort=name", "&name=a", "&name=a&sort=name", "&user_id=2&sort=-id"} {
		if got := s.as("viewer").get("/rest/client?page=18446744073709551&per_page=500" + query).items(); len(got) != 0 {
			t.Errorf("%s: %v", query, got)
		}
	}
}
