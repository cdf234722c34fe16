package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 8.1a, 8.9, 2.8, 4.2
func TestContactCreateRespondsLikeRead(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	created := s.as("manager").with("Accept", "").post("/rest/contact", fields{
		"client_id": 1, "name": " Zoë ", "phone": "+49 1", "mobile": "+49 2", "email": "zoë@example.org", "rank": "boss",
	})
	want := `{"response":{"id":1,"name":"Zoë","phone":"+49 1","mobile":"+49 2","email":"zoë@example.org","rank":"boss","ref":null}}`
	if created.wants(200).body != want {
		t.Errorf("got  %s\nwant %s", created.body, want)
	}
	if read := s.as("viewer").get(created.header.Get("Location")); read.body != created.body {
		t.Errorf("the read returned\n%s\nthe creation\n%s", read.body, created.body)
	}
	if got := s.as("viewer").get("/rest/contact?client_id=1").body; got != strings.Replace(strings.Replace(want, `{"id"`, `{"items":[{"id"`, 1), "}}", "}]}}", 1) {
		t.Errorf("the list shows %s", got)
	}
	xml := s.as("manager").with("Accept", "application/xml").post("/rest/contact", fields{"client_id": 1, "name": "bare"}).wants(200).body
	if !strings.HasSuffix(xml, "<response><id>2</id><name>bare</name><phone/><mobile/><email/><rank/><ref/></response>") {
		t.Errorf("got %s", xml)
	}
	s.as("viewer").get("/rest/contact/3").rejected(404)
}

// contract 8.3, 3.9, 8.7, 3.26
func TestContactListByClientOrDeal(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "of Acme", "client_id": 1}).wants(200)
	manager.post("/rest/deal", fields{"name": "nobody's"}).wants(200)
	manager.post("/rest/deal", fields{"name": "empty"}).wants(200)
	manager.post("/rest/contact", fields{"name": "c", "client_id": 1}).wants(200)
	manager.post("/rest/contact", fields{"name": "b", "deal_id": 2}).wants(200)
	manager.post("/rest/contact", fields{"name": "a", "deal_id": 1}).wants(200)
	for query, want := range map[string][]string{
		"client_id=1":                  {"1", "3"},
		"client_id=2":                  {},
		"deal_id=1":                    {"1", "3"},
		"deal_id=2":                    {"2"},
		"deal_id=3":                    {},
		"client_id=1&deal_id=1":        {"1", "3"},
		"client_id=1&deal_id=2":        {},
		"client_id=2&deal_id=1":        {},
		"client_id=&deal_id=2":         {"2"},
		"client_id=1&sort=id&sort=-id": {"3", "1"},
	} {
		if got := s.as("viewer").get("/rest/contact?" + query).column("id"); !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
	for _, query := range []string{"", "?client_id=", "?deal_id=&client_id=", "?page=1"} {
		if got := s.as("viewer").get("/rest/contact" + query).rejected(400).Message; got != "no deal_id or client_id" {
			t.Errorf("%q: the message is %q", query, got)
		}
	}
	for _, query := range []string{"client_id=9", "deal_id=9", "client_id=1&deal_id=9", "client_id=9&deal_id=1", "client_id=9&page=7"} {
		s.as("viewer").get("/rest/contact?" + query).rejected(404)
	}
	for _, query := range []string{"client_id=x", "client_id=1&client_id=1", "client_id=1&deal_id=0", "deal_id=1.0", "client_id=9&fields=user_id", "client_id=9&sort=client", "client_id=9&expand=user"} {
		s.as("viewer").get("/rest/contact?" + query).rejected(400)
	}
}

// contract 8.9, 4.8, 4.9
func TestContactExpandClientAndDeal(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	s.as("manager").post("/rest/deal", fields{"name": "nobody's", "type_id": 1}).wants(200)
	s.as("manager").post("/rest/contact", fields{"name": "a", "client_id": 1}).wants(200)
	s.as("manager").post("/rest/contact", fields{"name": "b", "deal_id": 1}).wants(200)
	at := s.as("viewer").get("/rest/deal/1").record()["created_at"]
	for path, want := range map[string]string{
		"/rest/contact/1?fields=name&expand=client,deal": `{"name":"a","client":{"id":1,"name":"Acme","type":1,"email":"a@example.org","phone":"1"},"deal":null}`,
		"/rest/contact/2?fields=name&expand=client,deal": fmt.Sprintf(
			`{"name":"b","client":null,"deal":{"id":1,"name":"nobody's","client_id":null,"user":2,"type_id":1,"status_id":1,"created_at":%q,"updated_at":%[1]q}}`, at),
	} {
		if got := s.as("viewer").get(path).wants(200).body; got != `{"response":`+want+`}` {
			t.Errorf("%s: got  %s\nwant %s", path, got, want)
		}
	}
	if got := s.as("viewer").get("/rest/contact?deal_id=1&expand=deal&fields=deal.name").body; got != `{"response":{"items":[{"deal":{"name":"nobody's"}}]}}` {
		t.Errorf("got %s", got)
	}
}

// contract 8.16, 4.4, 4.53, 9.32
func TestContactDelete(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	manager := s.as("manager")
	for _, name := range []string{"a", "b", "c"} {
		manager.post("/rest/contact", fields{"name": name, "client_id": 1}).wants(200)
	}
	s.as("viewer").delete("/rest/contact/1").rejected(403)
	manager.with("If-Match", `"2-x"`).delete("/rest/contact/1").rejected(412)
	if got := manager.delete("/rest/contact/1").wants(200).body; got != `{"response":{"id":1}}` {
		t.Errorf("got %s", got)
	}
	manager.get("/rest/contact/1").rejected(404)
	manager.delete("/rest/contact/1").rejected(404)
	if got := manager.get("/rest/contact?client_id=1").column("id"); !cmp.Equal(got, []string{"2", "3"}) {
		t.Errorf("the client has the contacts %v", got)
	}
	manager.delete("/rest/client/1").wants(200)
	manager.get("/rest/contact/2").rejected(404)
}

// contract 9.32, 7.18, 7.16
func TestContactsOfAnyNumberGoWithTheirOwnerInAFixedNumberOfStatements(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	s.as("manager").post("/rest/deal", fields{"name": "kept"}).wants(200)
	for name, c := range map[string]struct {
		owner  fields
		create string
		link   string
		change costly
	}{
		"deletion of a client":         {fields{"type": 1, "name": "x"}, "/rest/client", "client_id", costly{method: http.MethodDelete}},
		"deletion of a deal":           {fields{"name": "x"}, "/rest/deal", "deal_id", costly{method: http.MethodDelete}},
		"deal that becomes a client's": {fields{"name": "x"}, "/rest/deal", "deal_id", costly{method: http.MethodPatch, body: `{"client_id":1}`}},
	} {
		t.Run(name, func(t *testing.T) {
			var statements []int
			for _, contacts := range []int{1, 2_000} {
				created := s.as("manager").post(c.create, c.owner).wants(200)
				s.execute("insert into contacts ("+c.link+", name, name_key) select $1, 'c', 'c' from generate_series(1, $2::int)", created.id(), contacts)
				c.change.path = c.create + "/" + created.id()
				took := s.costOf(c.change)
				if took.status != http.StatusOK {
					t.Fatalf("status %d: %.300s", took.status, took.body)
				}
				if n := s.count("contacts", c.link+" = "+created.id()); n != 0 {
					t.Errorf("%d contacts are still linked", n)
				}
				statements = append(statements, took.statements)
			}
			if statements[1] > statements[0]+1 || statements[0] == 0 { // sometimes a token is looked up again
				t.Errorf("%d statements with 1 contact, %d with 2,000", statements[0], statements[1])
			}
		})
	}
}
