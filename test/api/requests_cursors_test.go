package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// startWithClients starts a service with clients named c01, c02 and so on, of which
// some have no email and some share one.
func startWithClients(t *testing.T, clients int) *service {
	t.Helper()
	s := start(t)
	for i := range clients {
		record := fields{"name": fmt.Sprintf("c%02d", i+1), "type": 1 + i%2}
		if i%3 > 0 {
			record["email"] = fmt.Sprintf("m%d@example.org", i%4)
		}
		s.as("admin").post("/rest/client", record).wants(200)
	}
	return s
}

// cursorOf returns the cursor in the link with the rel.
func (r *reply) cursorOf(rel string) string {
	r.t.Helper()
	address, err := url.Parse(r.wants(200).links()[rel])
	if err != nil {
		r.t.Fatal(err)
	}
	return address.Query().Get("cursor")
}

func (r *reply) checkPage(number string, names ...string) {
	r.t.Helper()
	if got := r.column("name"); !slices.Equal(got, names) {
		r.t.Errorf("%s has %v, want %v", r.what, got, names)
	}
	if got := r.header.Get("X-Pagination-Current-Page"); got != number {
		r.t.Errorf("%s: the current page is %s, want %s", r.what, got, number)
	}
}

// contract 4.83
func TestCursorIsStableUnderConcurrentChanges(t *testing.T) {
	t.Parallel()
	s := startWithClients(t, 12)
	page := s.as("viewer").get("/rest/client?sort=name&per_page=3&page=3")
	page.checkPage("3", "c07", "c08", "c09")
	next, prev := page.links()["next"], page.links()["prev"]

	for _, name := range []string{"a", "b", "c065", "c095"} { // two at the start, one beside each cursor
		s.as("admin").post("/rest/client", fields{"name": name, "type": 1}).wants(200)
	}
	s.as("admin").delete("/rest/client/7").wants(200)
	s.as("admin").delete("/rest/client/9").wants(200)

	s.as("viewer").get(next).checkPage("4", "c095", "c10", "c11")
	s.as("viewer").get(prev).checkPage("2", "c05", "c06", "c065")
	// The page numbers have shifted.
	s.as("viewer").get("/rest/client?sort=name&per_page=3&page=4").checkPage("4", "c08", "c095", "c10")
	s.as("viewer").get("/rest/client?sort=name&per_page=3&page=2").checkPage("2", "c02", "c03", "c04")
	s.as("viewer").get("/rest/client?sort=name&per_page=3&cursor="+page.cursorOf("next")).checkPage("1", "c095", "c10", "c11")
}

// contract 4.86, 3.7, 3.28
func TestCursorOfOtherListOrSortIsRejected(t *testing.T) {
	t.Parallel()
	s := startWithClients(t, 9)
	s.as("admin").post("/rest/contact", fields{"name": "Ada", "client_id": 1}).wants(200)
	page := s.as("viewer").get("/rest/client?sort=name&per_page=2&page=2")
	cursor := page.cursorOf("next")
	if cursor == "" {
		t.Fatal("the page has no cursor")
	}
	for _, address := range []string{
		"/rest/client?sort=-name&cursor=" + cursor,
		"/rest/client?sort=email&cursor=" + cursor,
		"/rest/client?cursor=" + cursor,
		"/rest/client?sort=name,type&cursor=" + cursor,
		"/rest/deal?sort=name&cursor=" + cursor,
		"/rest/performer?sort=name&cursor=" + cursor,
		"/rest/contact?client_id=1&page=1&sort=name&cursor=" + cursor,
		"/rest/client?sort=name&cursor=" + cursor[1:],
		"/rest/client?sort=name&cursor=from%20another%20time",
		"/rest/client?sort=name&cursor=%00",
		"/rest/client?sort=name&cursor=" + strings.Repeat("A", 4097),
		"/rest/offer?cursor=1", "/rest/contract?cursor=1", "/rest/invoice?cursor=1", "/rest/invoice-items?cursor=1",
	} {
		if p := s.as("viewer").get(address).rejected(400); !strings.Contains(p.Detail, "cursor") {
			t.Errorf("%s: the detail does not name the cursor: %s", address, p.Detail)
		}
	}
	s.as("viewer").get("/rest/client?sort=name&per_page=3&type=2&page=2&cursor="+cursor).checkPage("2", "c06", "c08")
	s.as("viewer").get("/rest/client?sort=name&per_page=3&page=2&cursor=").checkPage("2", "c04", "c05", "c06")
	// Lists without pages ignore cursors.
	s.as("viewer").get("/rest/contact?client_id=1&cursor=1").wants(200)
	s.as("viewer").get("/rest/user?cursor=1").wants(200)
}
