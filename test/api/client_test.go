package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 9.1, 7.4, 9.4, 9.14, 4.2, 4.67
func TestClientCreateRespondsLikeRead(t *testing.T) {
	t.Parallel()
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
		t.Errorf("the read returned\n%s\nthe creation\n%s", read.body, created.body)
	}
	s.as("manager").post("/rest/client", fields{"name": "Ilse", "type": 2, "person_details": "tall"}).wants(200)
	listed := s.as("viewer").get("/rest/client?sort=id").items()
	if diff := cmp.Diff(record, listed[0]); diff != "" {
		t.Errorf("the list shows another record:\n%s", diff)
	}
	if _, ok := listed[1]["bank_details"]; ok || listed[1]["person_details"] != "tall" {
		t.Errorf("the list shows a person as %v", listed[1])
	}
}

// contract 7.4, 4.10, 6.8
func TestClientExpandUser(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.as("manager").post("/rest/client", fields{"name": "a", "type": 2}).wants(200)
	plain := s.as("viewer").get("/rest/client/1").wants(200).body
	want := strings.Replace(plain, `"user":2`, `"user_id":2,"user":{"id":2,"username":"manager","fname":"Mara","lname":"Nager","email":"manager@example.org"}`, 1)
	if got := s.as("viewer").get("/rest/client/1?expand=user").wants(200).body; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// contract 9.19, 2.38, 3.26, 3.28, 4.45, 4.46, 4.48, 4.103
func TestClientFilters(t *testing.T) {
	t.Parallel()
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
		"name=eclair":                {"4"},
		"name=e":                     {"1", "2", "3", "4"},
		"type=1":                     {"1", "3"},
		"type=2&user_id=2":           {"2"},
		"user_id=1":                  {"1", "3", "4"},
		"user_id=999":                {},
		"email=INFO@strasse.example": {"1"},
		"email=info":                 {},
		"name=&type=&user_id=":       {"1", "2", "3", "4"},
		"name=%20strasse%C2%A0":      {"1", "2"}, // contract 4.103
		"_unknown=7&_=8":             {"1", "2", "3", "4"},
	} {
		if got := admin.get("/rest/client?sort=id&" + query).column("id"); !cmp.Equal(got, want) {
			t.Errorf("%s: got clients %v, want %v", query, got, want)
		}
	}
	for _, query := range []string{"unknown=7", "name[]=a", "phone=1", "name=x&name=strasse", "type=3", "type=x", "user_id=0", "user_id=x", "user_id=99999999999999999999", "name=" + strings.Repeat("a", 256), "name=%FF", "name=%00"} {
		admin.get("/rest/client?" + query).rejected(400)
	}
}

// contract 7.20, 9.26
func TestClientCountsMatchItsRecords(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	for _, client := range []any{1, 1, 2, nil} {
		manager.post("/rest/deal", fields{"name": "x", "client_id": client}).wants(200)
	}
	for _, in := range []fields{{"deal_id": 1}, {"deal_id": 1}, {"deal_id": 2}, {"deal_id": 3, "client_id": 2}} {
		manager.post("/rest/invoice", bill(in)).wants(200)
	}
	manager.post("/rest/offer", fields{"deal_id": 2, "number": "1"}).wants(200)
	manager.post("/rest/contract", fields{"deal_id": 1, "number": "1"}).wants(200)
	const all = "count_deals=1&count_offers=1&count_contracts=1&count_invoices=1"
	counts := func() string { return manager.get("/rest/client?sort=id&fields=id&" + all).wants(200).body }
	row := func(id, deals, offers, contracts, invoices int) string {
		return fmt.Sprintf(`{"id":%d,"count_deals":%d,"count_offers":%d,"count_contracts":%d,"count_invoices":%d}`, id, deals, offers, contracts, invoices)
	}
	if got, want := counts(), `{"response":{"items":[`+row(1, 2, 1, 1, 3)+","+row(2, 1, 0, 0, 1)+`]}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	manager.put("/rest/invoice/1", fields{"deal_id": 3}).wants(200)
	manager.delete("/rest/invoice/3").wants(200)
	manager.delete("/rest/offer/1").wants(200)
	manager.put("/rest/contract/1", fields{"deal_id": 3}).wants(200)
	manager.delete("/rest/deal/2").wants(200)
	if got, want := counts(), `{"response":{"items":[`+row(1, 1, 0, 0, 1)+","+row(2, 1, 0, 1, 2)+`]}}`; got != want {
		t.Errorf("after changes: got  %s\nwant %s", got, want)
	}
	if got, want := manager.get("/rest/client/2?fields=name&"+all).body, `{"response":{"name":"Berta","count_deals":1,"count_offers":0,"count_contracts":1,"count_invoices":2}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
