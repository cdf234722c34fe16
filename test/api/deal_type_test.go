package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 6.17, 6.18, 4.19, 4.44, 4.46
func TestDealTypesAreAllListedByName(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	for _, name := range []string{"Zubehör", "öl", "Beratung", "beratung"} {
		admin.post("/rest/deal-type", fields{"name": name}).wants(200)
	}
	list := s.as("viewer").with("Accept", "").get("/rest/deal-type?page=2&per_page=1")
	if want := `{"response":{"items":[{"id":3,"name":"Beratung"},{"id":4,"name":"beratung"},{"id":1,"name":"Zubehör"},{"id":2,"name":"öl"}]}}`; list.body != want {
		t.Errorf("got %s", list.body)
	}
	if got := list.header.Get("Link"); got != "" {
		t.Errorf("a list without pages has the links %s", got)
	}
	if got := admin.get("/rest/deal-type?sort=-id&fields=id").column("id"); !cmp.Equal(got, []string{"4", "3", "2", "1"}) {
		t.Errorf("by id, downwards: %v", got)
	}
	if got := admin.get("/rest/deal-type/2?_format=xml").wants(200).body; !strings.HasSuffix(got, "<response><id>2</id><name>öl</name></response>") {
		t.Errorf("got %s", got)
	}
	admin.get("/rest/deal-type?fields=title").refused(400)
}

// contract 1.5, 4.53, 4.56, 4.57, 4.70
func TestADealTypeIsCreatedRenamedAndDeleted(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	created := admin.post("/rest/deal-type", fields{"name": " Sale "}).wants(200)
	if created.body != `{"response":{"id":1,"name":"Sale"}}` || !strings.HasSuffix(created.header.Get("Location"), "/rest/deal-type/1") {
		t.Errorf("got %s at %s", created.body, created.header.Get("Location"))
	}
	for _, body := range []fields{{}, {"name": nil}, {"name": " "}, {"name": strings.Repeat("x", 256)}, {"name": 7}, {"title": "x"}} {
		if got := admin.post("/rest/deal-type", body).blames(); !cmp.Equal(got, []string{"name"}) {
			t.Errorf("%v blames %v", body, got)
		}
	}
	if got := admin.put("/rest/deal-type/1", fields{"name": "Sale"}).wants(200).header.Get("ETag"); got != created.header.Get("ETag") {
		t.Error("the same name is a change")
	}
	admin.post("/rest/deal-type", fields{"name": "Sack"}).wants(200)
	if got := admin.patch("/rest/deal-type/1", fields{"name": "ZINK"}).wants(200).body; got != `{"response":{"id":1,"name":"ZINK"}}` {
		t.Errorf("got %s", got)
	}
	if got := admin.get("/rest/deal-type?sort=-name").column("id"); !cmp.Equal(got, []string{"1", "2"}) {
		t.Errorf("after a new name the order is %v", got)
	}
	admin.with("If-Match", created.header.Get("ETag")).delete("/rest/deal-type/1").refused(412)
	admin.put("/rest/deal-type/1", fields{"name": ""}).refused(422)
	if got := admin.delete("/rest/deal-type/1").wants(200).body; got != `{"response":{"id":1}}` {
		t.Errorf("got %s", got)
	}
	admin.get("/rest/deal-type/1").refused(404)
	admin.put("/rest/deal-type/1", fields{"name": "x"}).refused(404)
}
