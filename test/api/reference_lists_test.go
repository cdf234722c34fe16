package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 6.8, 4.19, 4.30
func TestUserListIsSortedByName(t *testing.T) {
	t.Parallel()
	s := start(t)
	viewer := s.as("viewer")
	if got, want := viewer.get("/rest/user").column("name"), []string{"Ada Min", "Mara Nager", "Otto Her", "Vic Ewer"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := viewer.get("/rest/user?sort=-username&fields=username").column("username"), []string{"viewer", "other", "manager", "admin"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	want := `{"response":{"id":2,"name":"Mara Nager","username":"manager","fname":"Mara","lname":"Nager","email":"manager@example.org"}}`
	if got := viewer.get("/rest/user/2").wants(200).body; got != want {
		t.Errorf("got %s", got)
	}
}

// contract 6.9, 6.13, 6.15
func TestStatusDefaultIsUnique(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/status", fields{"name": "new", "default": true, "color": "#1E90ff"}).wants(200)
	admin.post("/rest/status", fields{"name": "won"}).wants(200)
	if got := admin.get("/rest/status").body; got != `{"response":{"items":[{"id":1,"name":"new","default":true,"color":"#1E90ff"},{"id":2,"name":"won","default":false,"color":null}]}}` {
		t.Errorf("got %s", got)
	}
	admin.put("/rest/status/1", fields{"default": false}).rejected(409)
	admin.delete("/rest/status/1").rejected(409)
	admin.put("/rest/status/2", fields{"default": "1"}).wants(200)
	if got, want := admin.get("/rest/status?sort=id").column("default"), []string{"false", "true"}; !cmp.Equal(got, want) {
		t.Errorf("defaults are %v, want %v", got, want)
	}
	admin.delete("/rest/status/1").wants(200)
}

// contract 6.15, 4.19, 4.30, 4.46
func TestDealTypeListIsSortedByName(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	for _, name := range []string{"Zubehör", "öl", "Beratung", "beratung"} {
		admin.post("/rest/deal-type", fields{"name": name}).wants(200)
	}
	if page := s.as("viewer").get("/rest/deal-type?page=2&per_page=1"); !cmp.Equal(page.column("id"), []string{"4"}) || page.header.Get("X-Pagination-Total-Count") != "4" {
		t.Errorf("page 2 is %s of %s", page.body, page.header.Get("X-Pagination-Total-Count"))
	}
	list := s.as("viewer").with("Accept", "").get("/rest/deal-type")
	if want := `{"response":{"items":[{"id":3,"name":"Beratung"},{"id":4,"name":"beratung"},{"id":1,"name":"Zubehör"},{"id":2,"name":"öl"}]}}`; list.body != want {
		t.Errorf("got %s", list.body)
	}
	if got := list.header.Get("Link"); got != "" {
		t.Errorf("a list without pages has the links %s", got)
	}
	if got := admin.get("/rest/deal-type?sort=-id&fields=id").column("id"); !cmp.Equal(got, []string{"4", "3", "2", "1"}) {
		t.Errorf("by id, descending: %v", got)
	}
	if got := admin.get("/rest/deal-type/2?_format=xml").wants(200).body; !strings.HasSuffix(got, "<response><id>2</id><name>öl</name></response>") {
		t.Errorf("got %s", got)
	}
	admin.get("/rest/deal-type?fields=title").rejected(400)
}

// contract 6.20, 4.19
func TestInvoiceTypeAcceptsEitherLabelName(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	for i, body := range []fields{{"title": "Proforma"}, {"name": "final"}, {"title": "Credit ", "name": "Credit"}} {
		if got := admin.post("/rest/invoice-type", body).id(); got != string(rune('1'+i)) {
			t.Errorf("%v has the id %s", body, got)
		}
	}
	list := s.as("viewer").with("Accept", "").get("/rest/invoice-type").wants(200).body
	if want := `{"response":{"items":[{"id":3,"title":"Credit"},{"id":2,"title":"final"},{"id":1,"title":"Proforma"}]}}`; list != want {
		t.Errorf("got %s", list)
	}
	if got := admin.get("/rest/invoice-type?sort=-title&fields=title").column("title"); !cmp.Equal(got, []string{"Proforma", "final", "Credit"}) {
		t.Errorf("by title, descending: %v", got)
	}
	for _, body := range []fields{{"name": "Final"}, {"title": "Final"}, {"title": "Final", "name": " Final"}} {
		if got := admin.put("/rest/invoice-type/2", body).wants(200).body; got != `{"response":{"id":2,"title":"Final"}}` {
			t.Errorf("%v: got %s", body, got)
		}
	}
	admin.get("/rest/invoice-type?sort=name").rejected(400)
}

// contract 6.20, 4.57, 4.69
func TestInvoiceTypeNeedsExactlyOneLabel(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/invoice-type", fields{"title": "Final"}).wants(200)
	for _, c := range []struct {
		body fields
		want []string
	}{
		{fields{"title": "a", "name": "b"}, []string{"name"}},
		{fields{"title": "", "name": "b"}, []string{"name", "title"}},
		{fields{"title": "Final", "name": nil}, []string{"name"}},
		{fields{"name": ""}, []string{"title"}},
	} {
		for _, r := range []*reply{admin.post("/rest/invoice-type", c.body), admin.put("/rest/invoice-type/1", c.body)} {
			if got := r.wrongFields(); !cmp.Equal(got, c.want) {
				t.Errorf("%s with %v: wrong fields %v, want %v", r.what, c.body, got, c.want)
			}
		}
	}
	if got := admin.post("/rest/invoice-type", fields{}).wrongFields(); !cmp.Equal(got, []string{"title"}) {
		t.Errorf("the wrong fields of an empty record are %v", got)
	}
	if got := admin.get("/rest/invoice-type").column("title"); !cmp.Equal(got, []string{"Final"}) {
		t.Errorf("the types are %v", got)
	}
}

// contract 3.39, 6.15, 6.20, 9.32
func TestUsedRecordCannotBeDeleted(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	admin := s.as("admin")
	admin.post("/rest/deal-type", fields{"name": "sale"}).wants(200)
	admin.post("/rest/deal", fields{"name": "x", "client_id": 2, "type_id": 1, "status_id": 2}).wants(200)
	admin.post("/rest/invoice", bill(nil)).wants(200)
	for path, want := range map[string]problem{
		"/rest/client/2":       {Detail: "the client has deals", References: map[string]int{"deals": 1}},
		"/rest/deal/2":         {Detail: "the deal has invoices", References: map[string]int{"invoices": 1}},
		"/rest/deal-type/1":    {Detail: "the type is in use by deals", References: map[string]int{"deals": 1}},
		"/rest/status/2":       {Detail: "the status is in use by deals", References: map[string]int{"deals": 1, "deal_history": 1}},
		"/rest/invoice-type/1": {Detail: "the type is in use by invoices", References: map[string]int{"invoices": 1}},
		"/rest/performer/1":    {Detail: "the performer has issued invoices", References: map[string]int{"invoices": 1}},
	} {
		if got := admin.delete(path).rejected(409); got.Detail != want.Detail || !cmp.Equal(got.References, want.References) {
			t.Errorf("%s: the problem is %+v, want %+v", path, got, want)
		}
	}
	if got := admin.with("Accept", "application/xml").delete("/rest/client/2").wants(409).body; !strings.Contains(got, "<references><deals>1</deals></references>") {
		t.Errorf("in XML it is %s", got)
	}
	admin.put("/rest/deal/1", fields{"status_id": 1}).wants(200)
	if got := admin.delete("/rest/status/2").rejected(409).Detail; got != "the status is in the history of a deal" {
		t.Errorf("the detail is %q", got)
	}
}
