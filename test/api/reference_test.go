package api_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
)

// contract 6.1 to 6.7, 4.19, 4.44
func TestUsersAreListedByNameAndCannotBeWritten(t *testing.T) {
	s := start(t)
	viewer := s.as("viewer")
	if got, want := viewer.get("/rest/user?page=9&per_page=1").column("name"), []string{"Ada Min", "Mara Nager", "Otto Her", "Vic Ewer"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := viewer.get("/rest/user?sort=-username&fields=username").column("username"), []string{"viewer", "other", "manager", "admin"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	want := `{"response":{"id":2,"name":"Mara Nager","username":"manager","fname":"Mara","lname":"Nager","email":"manager@example.org"}}`
	if got := viewer.get("/rest/user/2").wants(200).body; got != want {
		t.Errorf("got %s", got)
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		r := s.as("admin").send(method, "/rest/user", fields{"name": "x"})
		r.refused(405)
		if got := r.header.Get("Allow"); got != "GET, HEAD, OPTIONS" {
			t.Errorf("Allow is %q", got)
		}
	}
}

// contract 6.9 to 6.15
func TestOneStatusIsTheDefault(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/status", fields{"name": "new", "default": true, "color": "#1E90ff"}).wants(200)
	admin.post("/rest/status", fields{"name": "won"}).wants(200)
	if got := admin.get("/rest/status").body; got != `{"response":{"items":[{"id":1,"name":"new","default":true,"color":"#1E90ff"},{"id":2,"name":"won","default":false,"color":null}]}}` {
		t.Errorf("got %s", got)
	}
	admin.put("/rest/status/1", fields{"default": false}).refused(409)
	admin.delete("/rest/status/1").refused(409)
	admin.put("/rest/status/2", fields{"default": "1"}).wants(200)
	if got, want := admin.get("/rest/status?sort=id").column("default"), []string{"false", "true"}; !cmp.Equal(got, want) {
		t.Errorf("defaults are %v, want %v", got, want)
	}
	admin.delete("/rest/status/1").wants(200)
	for _, body := range []fields{{"name": ""}, {"name": "x", "color": "red"}, {"name": "x", "default": "maybe"}} {
		if n := len(admin.post("/rest/status", body).blames()); n != 1 {
			t.Errorf("%v blames %d fields", body, n)
		}
	}
	s.as("manager").post("/rest/status", fields{"name": "x"}).refused(403)
	s.as("viewer").delete("/rest/status/2").refused(403)
}

// contract 6.13: whoever comes last, there is one default.
func TestManyWhoSetTheDefaultLeaveOne(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	const writers = 8
	for range writers {
		admin.post("/rest/status", fields{"name": "s"}).wants(200)
	}
	var group sync.WaitGroup
	for _, id := range admin.get("/rest/status").column("id") {
		group.Go(func() { admin.put("/rest/status/"+id, fields{"default": true}).wants(200) })
		group.Go(func() { admin.post("/rest/status", fields{"name": "n", "default": true}).wants(200) })
	}
	group.Wait()
	defaults := 0
	for _, d := range admin.get("/rest/status").column("default") {
		if d == "true" {
			defaults++
		}
	}
	if defaults != 1 {
		t.Errorf("%d statuses are the default", defaults)
	}
}

// contract 5.4
func TestReferenceListsCanBeOpened(t *testing.T) {
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
