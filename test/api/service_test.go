package api_test

import (
	"slices"
	"testing"
)

// contract 1.2, 4.1, 5.13
func TestRoutesOfEveryResource(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	s.as("manager").post("/rest/deal", fields{"name": "x", "client_id": 1}).wants(200)
	s.as("manager").post("/rest/invoice", bill(fields{"deal_id": 1})).wants(200)
	for _, c := range []struct {
		path, query    string
		body           fields
		put, patch     fields
		changed, value string
	}{
		{"/rest/status", "", fields{"name": "a"}, fields{"name": "b"}, fields{"name": "c"}, "name", "c"},
		{"/rest/deal-type", "", fields{"name": "a"}, fields{"name": "b"}, fields{"name": "c"}, "name", "c"},
		{"/rest/invoice-type", "", fields{"title": "a"}, fields{"title": "b"}, fields{"title": "c"}, "title", "c"},
		{"/rest/performer", "", fields{"name": "a"}, fields{"name": "b"}, fields{"name": "c"}, "name", "c"},
		{"/rest/client", "", fields{"name": "a", "type": 2}, fields{"name": "b"}, fields{"name": "c"}, "name", "c"},
		{"/rest/contact", "?client_id=1", fields{"name": "a", "client_id": 1}, fields{"name": "b"}, fields{"name": "c"}, "name", "c"},
		{"/rest/deal", "", fields{"name": "a"}, fields{"name": "b"}, fields{"name": "c"}, "name", "c"},
		{"/rest/offer", "", fields{"deal_id": 1, "number": "a"}, fields{"number": "b"}, fields{"number": "c"}, "number", "c"},
		{"/rest/contract", "", fields{"deal_id": 1, "number": "a"}, fields{"number": "b"}, fields{"number": "c"}, "number", "c"},
		{"/rest/invoice", "", bill(nil), fields{"number": "b"}, fields{"number": "c"}, "number", "c"},
		{"/rest/invoice-items", "", fields{"invoice_id": 1, "name": "a"}, fields{"name": "b"}, fields{"name": "c"}, "name", "c"},
		{"/rest/rule", "", namesRequired("a"), fields{"name": "b"}, fields{"name": "c"}, "name", "c"},
	} {
		admin := s.as("admin")
		id := admin.post(c.path, c.body).id()
		if got := admin.get(c.path + c.query).column("id"); !slices.Contains(got, id) {
			t.Errorf("%s lists %v, and not the new %s", c.path, got, id)
		}
		one := c.path + "/" + id
		admin.get(one).wants(200)
		admin.put(one, c.put).wants(200)
		if got := admin.patch(one, c.patch).record()[c.changed]; got != c.value {
			t.Errorf("%s: after PUT and PATCH %s is %v", one, c.changed, got)
		}
		admin.delete(one).wants(200)
		admin.get(one).rejected(404)
	}
}

// contract 5.3
func TestRequestsAreStateless(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 3 { // over the same connection
		if r := s.as("viewer").get("/rest/client").wants(200); r.header.Get("Set-Cookie") != "" {
			t.Errorf("the response sets the cookie %s", r.header.Get("Set-Cookie"))
		}
		s.nobody().get("/rest/client").rejected(401)
	}
}
