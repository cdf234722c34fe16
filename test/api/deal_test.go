package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 7.1, 7.2, 7.3, 7.4, 7.5, 7.6, 7.7, 7.8, 1.10, 2.8, 4.2
func TestDealCreateRespondsLikeRead(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	created := s.as("manager").with("Accept", "").post("/rest/deal", fields{"name": " Roof & <Walls> ", "client_id": "1", "type_id": 2, "status_id": 2})
	record := created.record()
	want := fmt.Sprintf(`{"response":{"id":1,"name":"Roof & <Walls>","client_id":1,"user":2,"type_id":2,"status_id":2,"created_at":%q,"updated_at":%[1]q}}`, record["created_at"])
	if created.body != want {
		t.Errorf("got  %s\nwant %s", created.body, want)
	}
	if read := s.as("viewer").get(created.header.Get("Location")); read.body != created.body {
		t.Errorf("the new record reads\n%s\nits creation answered\n%s", read.body, created.body)
	}
	bare := s.as("manager").post("/rest/deal", fields{"name": "bare"}).record()
	for name, value := range map[string]string{"client_id": "null", "type_id": "null", "status_id": "1", "user": "2"} {
		if got := text(bare[name]); got != value {
			t.Errorf("%s is %s unless given, want %s", name, got, value)
		}
	}
}

// contract 7.2, 7.3, 7.4, 7.5, 7.6, 7.10, 3.3, 3.19, 3.29
func TestDealValidationNamesEveryFieldAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	for _, c := range []struct {
		body  any
		wrong []string
	}{
		{fields{}, []string{"name"}},
		{fields{"name": " ", "user": nil, "status_id": ""}, []string{"name", "user", "status_id"}},
		{fields{"name": strings.Repeat("ü", 256), "client_id": "x", "type_id": -1}, []string{"client_id", "type_id", "name"}},
		{fields{"name": "x", "status_id": true, "user": []int{1}}, []string{"user", "status_id"}},
		{fields{"name": "x", "client_id": 99, "user": 99, "type_id": 99, "status_id": 99}, []string{"client_id", "user", "type_id", "status_id"}},
		{fields{"name": "x", "client_id": 1, "type_id": 99}, []string{"type_id"}},
	} {
		if got := s.as("admin").post("/rest/deal", c.body).blames(); !cmp.Equal(got, c.wrong) {
			t.Errorf("%v: blames %v, want %v", c.body, got, c.wrong)
		}
	}
	if n := len(s.as("admin").get("/rest/deal").items()); n != 0 {
		t.Errorf("%d deals were stored", n)
	}
	s.as("admin").post("/rest/deal", fields{"name": "x"}).wants(200)
	if got, want := s.as("admin").put("/rest/deal/1", fields{"client_id": 99, "user": 99, "type_id": 99, "status_id": 99}).blames(),
		[]string{"client_id", "user", "type_id", "status_id"}; !cmp.Equal(got, want) {
		t.Errorf("an update blames %v, want %v", got, want)
	}
	if got, want := s.as("admin").put("/rest/deal/1", fields{"user": nil, "status_id": nil, "name": nil}).blames(),
		[]string{"name", "user", "status_id"}; !cmp.Equal(got, want) {
		t.Errorf("an update to nothing blames %v, want %v", got, want)
	}
}

// contract 7.2, 7.4, 7.5, 7.7, 2.32, 4.3, 4.53, 4.56, 4.59, 4.60
func TestDealUpdateChangesSentFieldsOnly(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		t.Run(method, func(t *testing.T) {
			s := startDealing(t)
			admin := s.as("admin")
			created := admin.post("/rest/deal", fields{"name": "a", "client_id": 1, "type_id": 1})
			before := created.record()
			after := admin.send(method, "/rest/deal/1", fields{"name": "b", "type_id": "", "user": fields{"id": 2}, "created_at": 0, "id": 9}).record()
			before["name"], before["type_id"], before["user"], before["updated_at"] = "b", nil, after["user"], after["updated_at"]
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the update changed more or less than it carried:\n%s", diff)
			}
			if got := text(after["user"]); got != "2" {
				t.Errorf("the deal belongs to user %s", got)
			}
			admin.with("If-Match", created.header.Get("ETag")).send(method, "/rest/deal/1", fields{"name": "c"}).refused(412)
			admin.send(method, "/rest/deal/9", fields{"name": "c"}).refused(404)
		})
	}
}

// contract 7.4, 4.58
func TestDealUpdateAcceptsReadRepresentation(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	s.as("admin").post("/rest/deal-type", fields{"name": "sale"}).wants(200)
	s.as("admin").post("/rest/deal", fields{"name": "x", "client_id": 1, "type_id": 1}).wants(200)
	s.as("admin").post("/rest/invoice", bill(fields{"deal_id": 1})).wants(200)
	for _, query := range []string{"", "?expand=user", "?expand=client,user,type,status"} {
		shown := s.as("admin").get("/rest/deal/1" + query)
		echoed := s.as("manager").put("/rest/deal/1"+query, shown.body).wants(200)
		if echoed.body != shown.body || echoed.header.Get("ETag") != shown.header.Get("ETag") {
			t.Errorf("%s: sent\n%s\ngot\n%s", query, shown.body, echoed.body)
		}
	}
}

// contract 7.9, 1.37
func TestDealCreateWithoutDefaultStatusExplainsHowToSetIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.as("admin").post("/rest/status", fields{"name": "odd"}).wants(200)
	refused := s.as("manager").post("/rest/deal", fields{"name": "x"})
	if got := refused.blames(); !cmp.Equal(got, []string{"status_id"}) {
		t.Errorf("blames %v", got)
	}
	if !strings.Contains(refused.body, "make one the default") {
		t.Errorf("the refusal does not say what to do: %s", refused.body)
	}
	s.as("manager").post("/rest/deal", fields{"name": "x", "status_id": 1}).wants(200)
}

// contract 7.11, 2.15, 2.18, 4.8, 4.9, 4.28, 6.8
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
	s.as("viewer").get("/rest/deal?expand=invoices").refused(400)
}

// contract 7.12, 7.2, 7.3, 7.4, 7.5, 7.6, 7.7, 4.11, 4.14, 4.16, 4.24, 4.48, 4.49, 3.26,
// 3.27
func TestDealFiltersAndSort(t *testing.T) {
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
		"sort=-created_at":                 {"1", "2", "3", "4"},
		"sort=name":                        {"4", "2", "1", "3"},
		"sort=client_id":                   {"1", "3", "2", "4"},
		"sort=-client_id":                  {"4", "2", "3", "1"},
		"sort=type_id,-name":               {"1", "3", "2", "4"},
		"sort=status_id,id":                {"1", "4", "2", "3"},
		"sort=-user":                       {"2", "4", "3", "1"},
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
		admin.get("/rest/deal?" + query).refused(400)
	}
}

// contract 4.24, 4.30, 4.33, 4.34, 4.36
func TestDealListDefaultsToTwentyPerPage(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	for i := range 21 {
		s.as("admin").post("/rest/deal", fields{"name": fmt.Sprint(i)}).wants(200)
	}
	first := s.as("viewer").get("/rest/deal")
	if got := len(first.items()); got != 20 {
		t.Errorf("the first page has %d deals", got)
	}
	for name, want := range map[string]string{"X-Pagination-Total-Count": "21", "X-Pagination-Page-Count": "2", "X-Pagination-Per-Page": "20"} {
		if got := first.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := s.as("viewer").get("/rest/deal?page=2&fields=id").column("id"); !cmp.Equal(got, []string{"1"}) {
		t.Errorf("the second page has the deals %v", got)
	}
}

// contract 7.16, 8.4
func TestDealGainingClientMovesContacts(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "x"}).wants(200)
	manager.post("/rest/deal", fields{"name": "another"}).wants(200)
	for _, deal := range []int{1, 2, 1} {
		manager.post("/rest/contact", fields{"name": fmt.Sprint("of deal ", deal), "deal_id": deal}).wants(200)
	}
	manager.put("/rest/deal/1", fields{"client_id": 2}).wants(200)
	for list, want := range map[string][]string{"client_id=2": {"1", "3"}, "deal_id=1": {"1", "3"}, "deal_id=2": {"2"}} {
		if got := manager.get("/rest/contact?" + list).column("id"); !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", list, got, want)
		}
	}
	// Its contacts stay with the client that the deal leaves.
	manager.put("/rest/deal/1", fields{"client_id": 1}).wants(200)
	if got := manager.get("/rest/contact?client_id=2").column("id"); !cmp.Equal(got, []string{"1", "3"}) {
		t.Errorf("the client that the deal left has the contacts %v", got)
	}
}

// contract 7.16, 3.29
func TestDealRejectedClientKeepsContacts(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "x"}).wants(200)
	manager.post("/rest/contact", fields{"name": "a", "deal_id": 1}).wants(200)
	manager.put("/rest/deal/1", fields{"client_id": 99}).refused(422)
	if got := manager.get("/rest/contact?deal_id=1").column("id"); !cmp.Equal(got, []string{"1"}) {
		t.Errorf("the deal has the contacts %v", got)
	}
}

// contract 7.17, 3.15, 3.25
func TestDealClientIsFixedOnceInvoiced(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "x", "client_id": 1}).wants(200)
	manager.put("/rest/deal/1", fields{"client_id": 2}).wants(200)
	manager.post("/rest/invoice", bill(fields{"client_id": 2, "deal_id": 1})).wants(200)
	manager.put("/rest/deal/1", fields{"client_id": 1, "name": "y"}).refused(409)
	manager.put("/rest/deal/1", fields{"client_id": nil}).refused(409)
	manager.put("/rest/deal/1", fields{"client_id": 1, "name": ""}).refused(422)
	if got := manager.put("/rest/deal/1", fields{"client_id": 2, "name": "z", "status_id": 2}).record()["name"]; got != "z" {
		t.Errorf("the name is %v", got)
	}
}

// contract 7.18, 3.15, 3.29
func TestDealDeleteWithDocumentsIsRejected(t *testing.T) {
	t.Parallel()
	for papers, put := range map[string]func(s *service){
		"invoices": func(s *service) { s.as("manager").post("/rest/invoice", bill(fields{"deal_id": 1})).wants(200) },
		"offers": func(s *service) {
			s.as("manager").post("/rest/offer", fields{"deal_id": 1, "number": "1"}).wants(200)
		},
		"contracts": func(s *service) {
			s.as("manager").post("/rest/contract", fields{"deal_id": 1, "number": "1"}).wants(200)
		},
	} {
		t.Run(papers, func(t *testing.T) {
			s := startBilling(t)
			manager := s.as("manager")
			manager.post("/rest/deal", fields{"name": "x", "client_id": 1}).wants(200)
			put(s)
			before := manager.get("/rest/deal/1/history").wants(200).body
			if got := manager.delete("/rest/deal/1").refused(409).Detail; got != "the deal has "+papers {
				t.Errorf("the refusal says %q", got)
			}
			if after := manager.get("/rest/deal/1/history").body; after != before {
				t.Errorf("the history was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// contract 7.19, 4.4, 4.53
func TestDealDeleteRemovesHistoryAndContacts(t *testing.T) {
	t.Parallel()
	s := startDealing(t)
	manager := s.as("manager")
	manager.post("/rest/deal", fields{"name": "x"}).wants(200)
	created := manager.post("/rest/deal", fields{"name": "with client", "client_id": 1})
	manager.put("/rest/deal/1", fields{"status_id": 2}).wants(200)
	manager.post("/rest/contact", fields{"name": "of the deal", "deal_id": 1}).wants(200)
	manager.post("/rest/contact", fields{"name": "of the client", "deal_id": 2}).wants(200)
	if got := manager.delete("/rest/deal/1").wants(200).body; got != `{"response":{"id":1}}` {
		t.Errorf("got %s", got)
	}
	manager.with("If-Match", `"9-0"`).delete("/rest/deal/2").refused(412)
	manager.with("If-Match", created.header.Get("ETag")).delete("/rest/deal/2").wants(200)
	for _, path := range []string{"/rest/deal/1", "/rest/deal/1/history", "/rest/contact/1", "/rest/contact?deal_id=1"} {
		manager.get(path).refused(404)
	}
	manager.delete("/rest/deal/1").refused(404)
	if got := manager.get("/rest/contact/2").id(); got != "2" {
		t.Errorf("the client's contact is now %s", got)
	}
	if n := s.count("deal_history", "true"); n != 0 {
		t.Errorf("the history has %d entries left", n)
	}
}
