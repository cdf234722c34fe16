package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 9.1 to 9.14, 4.2
func TestANewClientIsShownAsReadingItShowsIt(t *testing.T) {
	s := start(t)
	created := s.as("manager").post("/rest/client", fields{
		"name": "  Räucherhaus & Söhne <KG> ", "type": 1, "email": "Hallo@Räucherhaus.example", "phone": "+49 40 1",
		"real_address": "Kai 7", "description": "smokes\nfish", "company_address": "Kai 8", "bank_details": "DE02",
	})
	record := created.record()
	want := map[string]string{
		"id": "1", "user": "2", "name": "Räucherhaus & Söhne <KG>", "type": "1", "email": "Hallo@Räucherhaus.example",
		"phone": "+49 40 1", "real_address": "Kai 7", "description": "smokes\nfish", "company_address": "Kai 8", "bank_details": "DE02",
	}
	for name, value := range want {
		if got := text(record[name]); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
	if record["person_details"] != nil || strings.Contains(created.body, "person_details") {
		t.Error("a company shows an attribute of persons")
	}
	if record["created_at"] != record["updated_at"] {
		t.Errorf("created at %v, updated at %v", record["created_at"], record["updated_at"])
	}
	read := s.as("viewer").get(created.header.Get("Location"))
	if read.body != created.body {
		t.Errorf("the new record reads\n%s\nits creation answered\n%s", read.body, created.body)
	}
}

// contract 9.3, 9.4, 3.3, 3.29
func TestEveryWrongFieldOfAClientIsNamedAndNothingIsStored(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		body  any
		wrong []string
	}{
		{fields{}, []string{"type", "name"}},
		{fields{"name": " ", "type": 3, "email": "Ann <ann@example.org>"}, []string{"type", "name", "email"}},
		{fields{"name": 7, "type": "company", "phone": strings.Repeat("1", 65)}, []string{"name", "type", "phone"}},
		{fields{"name": strings.Repeat("ü", 256), "type": 1, "description": []int{1}}, []string{"description", "name"}},
		{fields{"name": "a\x00b", "type": 1}, []string{"name"}},
		{fields{"name": "x", "type": 1, "user": 99}, []string{"user"}},
		{fields{"name": "x", "type": 1, "user": nil}, []string{"user"}},
		{"{\"name\":\"a\xffb\",\"type\":1}", []string{"name"}},
	} {
		if got := s.as("admin").post("/rest/client", c.body).blames(); !cmp.Equal(got, c.wrong) {
			t.Errorf("%v: blames %v, want %v", c.body, got, c.wrong)
		}
	}
	if n := len(s.as("admin").get("/rest/client").items()); n != 0 {
		t.Errorf("%d clients were stored", n)
	}
}

// contract 4.69: the largest lengths are allowed.
func TestTextsOfTheLargestLengthAreStored(t *testing.T) {
	s := start(t)
	name, long := strings.Repeat("ü", 255), strings.Repeat("ß", 65_535)
	record := s.as("admin").post("/rest/client", fields{"name": name, "type": 2, "person_details": long, "description": long}).record()
	if record["name"] != name || record["person_details"] != long || record["description"] != long {
		t.Error("a text of the largest length was not kept as it is")
	}
}

// contract 4.56 to 4.60, 9.24, 9.25
func TestAnUpdateChangesWhatItCarriesAndNothingElse(t *testing.T) {
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		t.Run(method, func(t *testing.T) {
			s := start(t)
			admin := s.as("admin")
			before := admin.post("/rest/client", fields{"name": "Ilse", "type": 2, "email": "i@example.org", "person_details": "tall"}).record()
			after := admin.send(method, "/rest/client/1", fields{
				"name": "Ilse K.", "email": "", "type": []int{1}, "company_address": 5, "created_at": "never", "unknown": true,
			}).record()
			before["name"], before["email"], before["updated_at"] = "Ilse K.", nil, after["updated_at"]
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the update changed more or less than it carried:\n%s", diff)
			}
			if got := admin.send(method, "/rest/client/1", fields{"name": ""}).blames(); !cmp.Equal(got, []string{"name"}) {
				t.Errorf("an empty name blames %v", got)
			}
		})
	}
}

// contract 4.58
func TestWhatAGetShowsCanBeSentBackUnchanged(t *testing.T) {
	s := start(t)
	s.as("admin").post("/rest/client", fields{"name": "Mühle", "type": 1, "bank_details": "x"}).wants(200)
	for _, query := range []string{"", "?expand=user", "?count_deals=1&count_invoices=1"} {
		shown := s.as("admin").get("/rest/client/1" + query)
		// A manager does not own this client, and may all the same say what is so already.
		echoed := s.as("manager").put("/rest/client/1"+query, shown.body)
		echoed.wants(200)
		if echoed.body != shown.body || echoed.header.Get("ETag") != shown.header.Get("ETag") {
			t.Errorf("%s: sent\n%s\ngot\n%s", query, shown.body, echoed.body)
		}
	}
}

// contract 5.14 to 5.16
func TestAManagerMayNotGiveAClientAway(t *testing.T) {
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

// contract 9.16, 9.17
func TestFieldsOfOneTypeAreForRecordsOfThatType(t *testing.T) {
	s := start(t)
	s.as("admin").post("/rest/client", fields{"name": "firm", "type": 1, "bank_details": "DE"}).wants(200)
	s.as("admin").get("/rest/client?fields=bank_details").refused(400)
	s.as("admin").get("/rest/client?sort=bank_details").refused(400)
	if got := s.as("admin").get("/rest/client/1?fields=bank_details").body; got != `{"response":{"bank_details":"DE"}}` {
		t.Errorf("got %s", got)
	}
	s.as("admin").get("/rest/client/1?fields=person_details").refused(400)
}

// contract 9.18 to 9.23, 4.45 to 4.50
func TestFiltersOfClients(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	for i, c := range []fields{
		{"name": "Straße 1", "type": 1, "email": "Info@Strasse.example"},
		{"name": "STRASSE 2", "type": 2, "user": 2},
		{"name": "100% Obst_und\\Gemüse", "type": 1},
		{"name": "E\u0301clair", "type": 2},
	} {
		if id := admin.post("/rest/client", c).id(); id != fmt.Sprint(i+1) {
			t.Fatalf("client %d has the id %s", i+1, id)
		}
	}
	for query, want := range map[string][]string{
		"":                           {"1", "2", "3", "4"},
		"name=strasse":               {"1", "2"},
		"name=STRA%C3%9FE":           {"1", "2"},
		"name=strasse&search=2":      {"2"},
		"search=%25":                 {"3"},
		"name=t_u":                   {"3"},
		"name=%5C":                   {"3"},
		"name=%C3%A9CL":              {"4"},
		"name=e":                     {"1", "2", "3"},
		"type=1":                     {"1", "3"},
		"type=2&user_id=2":           {"2"},
		"user_id=1":                  {"1", "3", "4"},
		"user_id=999":                {},
		"email=INFO@strasse.example": {"1"},
		"email=info":                 {},
		"name=&type=&user_id=":       {"1", "2", "3", "4"},
		"name=x&name=strasse":        {"1", "2"},
		"unknown=7":                  {"1", "2", "3", "4"},
	} {
		if got := admin.get("/rest/client?sort=id&" + query).column("id"); !cmp.Equal(got, want) {
			t.Errorf("%s: got clients %v, want %v", query, got, want)
		}
	}
	for _, query := range []string{"type=3", "type=x", "user_id=0", "user_id=x", "user_id=99999999999999999999", "name=" + strings.Repeat("a", 256), "name=%FF", "name=%00"} {
		admin.get("/rest/client?" + query).refused(400)
	}
}

// contract 4.11 to 4.16
func TestClientsAreSortedByTheirFoldedTextsAndTiesByID(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	for _, c := range []fields{
		{"name": "beta", "type": 1, "email": "b@example.org"},
		{"name": "Äpfel", "type": 2},
		{"name": "Alpha", "type": 1, "email": "A@example.org"},
		{"name": "alpha", "type": 2},
		{"name": "zeta", "type": 1},
	} {
		admin.post("/rest/client", c).wants(200)
	}
	for sort, want := range map[string][]string{
		"":            {"5", "4", "3", "2", "1"},
		"created_at":  {"5", "4", "3", "2", "1"},
		"-created_at": {"1", "2", "3", "4", "5"},
		"name":        {"3", "4", "1", "5", "2"}, // by code point: ä stands behind z
		"-name":       {"2", "5", "1", "4", "3"},
		"email":       {"3", "1", "2", "4", "5"}, // null is the largest value
		"-email":      {"5", "4", "2", "1", "3"},
		"-type,name":  {"4", "2", "3", "1", "5"},
		"type,-name":  {"5", "1", "3", "2", "4"},
		"id":          {"1", "2", "3", "4", "5"},
		"-id":         {"5", "4", "3", "2", "1"},
	} {
		if got := admin.get("/rest/client?sort=" + sort).column("id"); !cmp.Equal(got, want) {
			t.Errorf("sort=%s: got %v, want %v", sort, got, want)
		}
	}
	p := admin.get("/rest/client?sort=count_deals").refused(400)
	if !strings.Contains(p.Detail, "created_at") {
		t.Errorf("the refusal does not name what is allowed: %s", p.Detail)
	}
}

// contract 9.26 to 9.31
func TestCountsAreShownWhenAskedFor(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
	if body := admin.get("/rest/client").body; strings.Contains(body, "count_") {
		t.Errorf("counts nobody asked for: %s", body)
	}
	want := `{"response":{"items":[{"id":1,"count_deals":0,"count_offers":0,"count_contracts":0,"count_invoices":0}]}}`
	if got := admin.get("/rest/client?fields=id&count_deals=1&count_offers=1&count_contracts=1&count_invoices=1").body; got != want {
		t.Errorf("got %s", got)
	}
	if got := admin.get("/rest/client/1?fields=id&count_offers=1&count_deals=0").body; got != `{"response":{"id":1,"count_offers":0}}` {
		t.Errorf("got %s", got)
	}
	admin.get("/rest/client?count_deals=2").refused(400)
}

// contract 4.4, 9.33
func TestADeletedClientIsGone(t *testing.T) {
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/client", fields{"name": "a", "type": 1}).wants(200)
	if got := admin.delete("/rest/client/1").wants(200).body; got != `{"response":{"id":1}}` {
		t.Errorf("got %s", got)
	}
	admin.get("/rest/client/1").refused(404)
	admin.put("/rest/client/1", fields{}).refused(404)
	admin.delete("/rest/client/1").refused(404)
}
