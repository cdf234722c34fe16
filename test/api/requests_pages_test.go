package api_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var linkPattern = regexp.MustCompile(`<([^>]+)>; rel="([a-z]+)"`)

// links returns the addresses of a Link header by their rel.
func (r *reply) links() map[string]string {
	links := map[string]string{}
	for _, m := range linkPattern.FindAllStringSubmatch(r.header.Get("Link"), -1) {
		links[m[2]] = m[1]
	}
	return links
}

// contract 4.30, 4.31, 4.33, 4.39, 5.6
func TestLinkTraversalReachesAllPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i := range 7 {
		s.as("admin").post("/rest/client", fields{"name": fmt.Sprintf("client %d & co", i), "type": 1 + i%2}).wants(200)
	}
	path := "/rest/client?per_page=2&sort=-type,name&name=%26+CO&expand=user"
	seen := []string{}
	r := s.as("viewer").get(path)
	for page := 1; ; page++ {
		seen = append(seen, r.column("id")...)
		links := r.links()
		if got := r.header.Get("X-Pagination-Current-Page"); got != fmt.Sprint(page) {
			t.Fatalf("the current page of page %d is %s", page, got)
		}
		if strings.Contains(r.header.Get("Link"), "kt_") {
			t.Error("the links contain a token that was in a header")
		}
		if links["self"] == "" || links["first"] == "" || links["last"] == "" || (links["prev"] == "") != (page == 1) || (links["next"] == "") != (page == 4) {
			t.Fatalf("page %d has the links %v", page, links)
		}
		if links["next"] == "" {
			break
		}
		r = s.as("viewer").get(links["next"])
	}
	if want := []string{"2", "4", "6", "1", "3", "5", "7"}; !cmp.Equal(seen, want) {
		t.Errorf("the pages have %v, want %v", seen, want)
	}
	behind := s.as("viewer").get("/rest/client?page=99")
	if n := len(behind.items()); n != 0 || behind.header.Get("X-Pagination-Total-Count") != "7" {
		t.Errorf("after the last page there are %d records of %s", n, behind.header.Get("X-Pagination-Total-Count"))
	}
	none := s.as("viewer").get("/rest/client?name=none")
	if got := none.header.Get("X-Pagination-Page-Count"); got != "0" || len(none.links()) != 2 || !strings.HasSuffix(none.links()["last"], "page=1") {
		t.Errorf("an empty list has %s pages and the links %v", got, none.links())
	}
	for _, query := range []string{"page=0", "page=x", "page=-1", "per_page=0", "per_page=501", "per_page=1.5", "page=99999999999999999999"} {
		s.as("viewer").get("/rest/client?" + query).rejected(400)
	}
}
