package api_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 5.1, 5.1a, 5.1b, 5.1c, 5.1d, 5.1e, 5.2, 3.10
func TestTokenIsReadFromEveryLocation(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.tokens["viewer"]
	basic := func(name string) *caller {
		r, _ := http.NewRequest(http.MethodGet, "/", nil)
		r.SetBasicAuth(name, "anything")
		return s.nobody().with("Authorization", r.Header.Get("Authorization"))
	}
	s.nobody().get("/rest/client?auth_key=" + token).wants(200)
	s.nobody().get("/rest/client?access-token=" + token).wants(200)
	s.nobody().with("access-token", token).get("/rest/client").wants(200)
	s.nobody().with("Authorization", "bearer "+token).get("/rest/client").wants(200)
	basic(token).get("/rest/client").wants(200)
	s.nobody().with("access-token", token).get("/rest/client?auth_key=" + token).wants(200)
	s.nobody().with("access-token", token).get("/rest/client?auth_key=" + s.tokens["admin"]).refused(401)
	s.nobody().get("/rest/client?auth_key=" + token + "&auth_key=x").refused(401)
	s.nobody().get("/rest/client?auth_key=" + token[:len(token)-2] + "xx").refused(401)
	s.nobody().get("/rest/client?auth_key=").refused(401)
	basic("viewer").get("/rest/client").refused(401)
}

// contract 5.4, 1.27
func TestReferenceListsCanBePublic(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *bootstrap.Config) { c.PublicLists = true })
	s.as("admin").post("/rest/status", fields{"name": "new"}).wants(200)
	for _, path := range []string{"/rest/user", "/rest/status", "/rest/status/1"} {
		s.nobody().get(path).wants(200)
	}
	s.nobody().post("/rest/status", fields{"name": "x"}).refused(401)
	s.nobody().get("/rest/client").refused(401)
	s.nobody().with("access-token", "kt_wrong").get("/rest/status").refused(401)
	start(t).nobody().get("/rest/status").refused(401)
}

// contract 5.6
func TestLinksCarryTokenFromQuery(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, name := range []string{"auth_key", "access-token"} {
		r := s.nobody().get("/rest/client?" + name + "=" + s.tokens["viewer"] + "&per_page=1").wants(200)
		self, err := url.Parse(r.links()["self"])
		if err != nil {
			t.Fatal(err)
		}
		query := self.Query()
		if got := query["access-token"]; !cmp.Equal(got, []string{s.tokens["viewer"]}) || query.Has("auth_key") {
			t.Errorf("%s: the link is %s", name, self)
		}
		s.nobody().get(self.String()).wants(200)
	}
}

// contract 5.13, 5.14, 5.15
func TestPerformerWritesNeedAdmin(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.as("admin").post("/rest/performer", fields{"name": "Kontor"}).wants(200)
	for _, role := range []string{"manager", "viewer"} {
		s.as(role).get("/rest/performer/1").wants(200)
		s.as(role).post("/rest/performer", fields{"name": "x"}).refused(403)
		s.as(role).put("/rest/performer/1", fields{"name": "x"}).refused(403)
		s.as(role).delete("/rest/performer/1").refused(403)
	}
	s.nobody().get("/rest/performer").refused(401)
	if got := s.as("admin").delete("/rest/performer/1").wants(200).body; got != `{"response":{"id":1}}` {
		t.Errorf("got %s", got)
	}
	s.as("viewer").get("/rest/performer/1").refused(404)
	s.as("admin").delete("/rest/performer/1").refused(404)
}

// contract 5.14, 5.15, 5.4, 5.13
func TestTypeWritesNeedAdmin(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *bootstrap.Config) { c.PublicLists = true })
	for _, path := range []string{"/rest/deal-type", "/rest/invoice-type"} {
		s.as("admin").post(path, fields{"name": "x"}).wants(200)
		s.nobody().get(path).wants(200)
		s.nobody().get(path + "/1").wants(200)
		s.nobody().post(path, fields{"name": "x"}).refused(401)
		for _, role := range []string{"manager", "viewer"} {
			s.as(role).post(path, fields{"name": "x"}).refused(403)
			s.as(role).patch(path+"/1", fields{"name": "y"}).refused(403)
			s.as(role).delete(path + "/1").refused(403)
		}
		s.as("admin").delete(path + "/1").wants(200)
	}
	s.nobody().get("/rest/performer").refused(401)
}

// contract 5.14, 5.13, 5.15, 6.24, 6.46, 9.32
func TestInvoiceWritesByRoleAndReferencedRecords(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	viewer := s.as("viewer")
	viewer.post("/rest/invoice", bill(nil)).refused(403)
	for _, name := range []string{"admin", "manager", "other"} {
		s.as(name).post("/rest/invoice", bill(fields{"items": []fields{goods("a", 1, 1)}})).wants(200)
	}
	viewer.put("/rest/invoice/1", fields{"notice": "x"}).refused(403)
	viewer.delete("/rest/invoice/1").refused(403)
	viewer.post("/rest/invoice-items", fields{"invoice_id": 1, "name": "b"}).refused(403)
	viewer.put("/rest/invoice-items/1", fields{"name": "b"}).refused(403)
	viewer.delete("/rest/invoice-items/1").refused(403)
	s.nobody().get("/rest/invoice").wants(401)
	s.nobody().get("/rest/invoice-items").wants(401)
	for _, held := range []string{"/rest/performer/1", "/rest/invoice-type/1", "/rest/client/1"} {
		s.as("admin").delete(held).refused(409)
	}
	s.as("other").put("/rest/invoice/1", fields{"notice": "seen"}).wants(200)
	if got := viewer.get("/rest/invoice?sort=id").column("user_id"); !cmp.Equal(got, []string{"1", "2", "4"}) {
		t.Errorf("the invoices were issued by %v", got)
	}
}

// contract 5.16, 5.14, 5.15, 4.59
func TestClientReassignmentByManagerIsForbidden(t *testing.T) {
	t.Parallel()
	s := start(t)
	manager := s.as("manager")
	manager.post("/rest/client", fields{"name": "a", "type": 1, "user": 4}).refused(403)
	manager.post("/rest/client", fields{"name": "b", "type": 1}).wants(200)
	manager.put("/rest/client/1", fields{"user": 4}).refused(403)
	if got := text(manager.get("/rest/client/1").record()["user"]); got != "2" {
		t.Errorf("the client belongs to user %s", got)
	}
	s.as("admin").put("/rest/client/1", fields{"user": fields{"id": 4, "username": "anything"}}).wants(200)
	if got := text(manager.put("/rest/client/1", fields{"user": "2"}).record()["user"]); got != "2" {
		t.Errorf("after taking it over the client belongs to user %s", got)
	}
	s.as("viewer").post("/rest/client", fields{"name": "c", "type": 1}).refused(403)
	s.as("viewer").put("/rest/client/1", fields{}).refused(403)
	s.as("viewer").delete("/rest/client/1").refused(403)
}

// contract 5.16, 5.14, 5.15
func TestDealReassignmentByManagerIsForbidden(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "a", "user": 4}).refused(403)
	manager.post("/rest/deal", fields{"name": "a"}).wants(200)
	manager.put("/rest/deal/1", fields{"user": 4, "name": "b"}).refused(403)
	if got := s.as("viewer").get("/rest/deal/1?fields=name,user").body; got != `{"response":{"name":"a","user":2}}` {
		t.Errorf("after refused writes the deal is %s", got)
	}
	if got := text(s.as("other").put("/rest/deal/1", fields{"user": 4}).record()["user"]); got != "4" {
		t.Errorf("after taking it over the deal belongs to user %s", got)
	}
	s.as("viewer").post("/rest/deal", fields{"name": "c"}).refused(403)
	s.as("viewer").put("/rest/deal/1", fields{}).refused(403)
	s.as("viewer").delete("/rest/deal/1").refused(403)
}
