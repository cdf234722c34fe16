package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 7.13, 7.15, 1.2
func TestDealHistoryListsEveryStatus(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	s.as("manager").post("/rest/deal", fields{"name": "x"}).wants(200)
	s.as("admin").post("/rest/deal", fields{"name": "another", "status_id": 2}).wants(200)
	s.as("other").put("/rest/deal/1", fields{"status_id": 2}).wants(200)
	s.as("other").put("/rest/deal/1", fields{"status_id": 2, "name": "same status"}).wants(200)
	s.as("admin").put("/rest/deal/1", fields{"status_id": 1}).wants(200)
	s.as("other").put("/rest/deal/1", fields{"status_id": 99}).rejected(422)
	history := s.as("viewer").with("Accept", "").get("/rest/deal/1/history")
	for name, want := range map[string][]string{
		"status_id": {"1", "2", "1"}, "user_id": {"2", "4", "1"}, "invoice_id": {"null", "null", "null"},
	} {
		if got := history.column(name); !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	last := s.as("viewer").get("/rest/deal/1").record()["updated_at"]
	want := fmt.Sprintf(`{"id":4,"status_id":1,"invoice_id":null,"user_id":1,"created_on":%q}]}}`, last)
	if !strings.HasSuffix(history.body, want) {
		t.Errorf("got  %s\nwant it to end with %s", history.body, want)
	}
	if causes := s.as("viewer").get("/rest/deal/1/history?expand=cause").column("cause"); !cmp.Equal(causes, []string{"null", "null", "null"}) {
		t.Errorf("requests made the changes: got the causes %v", causes)
	}
	if history.header.Get("ETag") != "" || history.header.Get("X-Pagination-Total-Count") != "" {
		t.Error("an unpaged history has no totals, and no version")
	}
	s.as("viewer").get("/rest/deal/9/history").rejected(404)
	s.as("viewer").get("/rest/deal/x/history").rejected(404)
	s.nobody().get("/rest/deal/1/history").rejected(401)
	s.as("admin").post("/rest/deal/1/history", fields{}).rejected(405)
}
