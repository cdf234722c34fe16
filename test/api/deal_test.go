package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 7.4, 1.2, 2.8, 4.2
func TestDealCreateRespondsLikeRead(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	created := s.as("manager").with("Accept", "").post("/rest/deal", fields{"name": " Roof & <Walls> ", "client_id": "1", "type_id": 2, "status_id": 2})
	record := created.record()
	want := fmt.Sprintf(`{"response":{"id":1,"name":"Roof & <Walls>","client_id":1,"user":2,"type_id":2,"status_id":2,"created_at":%q,"updated_at":%[1]q,"ref":null}}`, record["created_at"])
	if created.body != want {
		t.Errorf("got  %s\nwant %s", created.body, want)
	}
	if read := s.as("viewer").get(created.header.Get("Location")); read.body != created.body {
		t.Errorf("the read returned\n%s\nthe creation\n%s", read.body, created.body)
	}
	bare := s.as("manager").post("/rest/deal", fields{"name": "bare"}).record()
	for name, value := range map[string]string{"client_id": "null", "type_id": "null", "status_id": "1", "user": "2"} {
		if got := text(bare[name]); got != value {
			t.Errorf("the default of %s is %s, want %s", name, got, value)
		}
	}
}

// contract 7.11, 2.14, 4.8, 4.9, 4.28, 6.8
func TestDealExpandReferences(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	s.as("manager").post("/rest/deal", fields{"name": "whole", "client_id": 1, "type_id": 1}).wants(200)
	s.as("manager").post("/rest/deal", fields{"name": "bare"}).wants(200)
	const user = `{"id":2,"username":"manager","fname":"Mara","lname":"Nager","email":"manager@example.org"}`
	for path, want := range map[string]string{
		"/1?fields=id&expand=client":         `{"id":1,"client":{"id":1,"name":"Acme","type":1,"email":"a@example.org","phone":"1"}}`,
		"/1?fields=id,user_id&expand=user":   `{"id":1,"user_id":2,"user":` + user + `}`,
		"/1?fields=id&expand=type,status":    `{"id":1,"type":{"id":1,"name":"sale"},"status":{"id":1,"name":"new","default":true,"color":"#00ff00"}}`,
		"/2?fields=id&expand=client,type":    `{"id":2,"client":null,"type":null}`,
		"/1?fields=client.name,status.color": `{"client":{"name":"Acme"},"status":{"color":"#00ff00"}}`,
	} {
		if got := s.as("viewer").get("/rest/deal" + path).wants(200).body; got != `{"response":`+want+`}` {
			t.Errorf("%s: got %s", path, got)
		}
	}
	items := s.as("viewer").get("/rest/deal?sort=id&expand=user,client,type,status").items()
	if status, ok := items[1]["status"].(map[string]any); !ok || status["name"] != "new" || text(items[0]["user_id"]) != "2" || items[1]["client"] != nil {
		t.Errorf("the list is expanded to %v", items)
	}
	xml := s.as("viewer").with("Accept", "application/xml").get("/rest/deal/2?fields=client_id&expand=client,status").body
	if !strings.HasSuffix(xml, `<response><client_id/><client/><status><id>1</id><name>new</name><default>1</default><color>#00ff00</color></status></response>`) {
		t.Errorf("got %s", xml)
	}
	s.as("viewer").get("/rest/deal?expand=invoices").rejected(400)
}

// contract 4.48, 3.26
func TestDealFilters(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	admin := s.as("admin")
	for _, d := range []fields{
		{"name": "Große Halle", "client_id": 1, "type_id": 1},
		{"name": "Dach", "client_id": 2, "status_id": 2, "user": 2},
		{"name": "halle", "client_id": 1, "type_id": 2, "status_id": 2},
		{"name": "100%"},
	} {
		admin.post("/rest/deal", d).wants(200)
	}
	for query, want := range map[string][]string{
		"":                                 {"4", "3", "2", "1"},
		"sort=id&client_id=1":              {"1", "3"},
		"sort=id&user_id=2":                {"2"},
		"sort=id&status_id=2":              {"2", "3"},
		"sort=id&type_id=2":                {"3"},
		"sort=id&name=HALLE":               {"1", "3"},
		"sort=id&name=GROSSE":              {"1"},
		"sort=id&name=%25":                 {"4"},
		"sort=id&name=halle&status_id=1":   {"1"},
		"sort=id&client_id=99":             {},
		"sort=id&client_id=&user_id=&name": {"1", "2", "3", "4"},
	} {
		if got := admin.get("/rest/deal?" + query).column("id"); !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
	for _, query := range []string{"client_id=x", "user_id=0", "status_id=-1", "type_id=1.5", "sort=client", "sort=user_id", "fields=offers"} {
		admin.get("/rest/deal?" + query).rejected(400)
	}
}
