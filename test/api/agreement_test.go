package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// onAgreements runs a test for offers and for contracts, which have the same clauses.
// There are three deals: the first with Acme (client 1), the second with Berta (client
// 2), the third without a client.
func onAgreements(t *testing.T, test func(s *service, path, table string)) {
	t.Helper()
	for path, table := range map[string]string{"/rest/offer": "offers", "/rest/contract": "contracts"} {
		t.Run(table, func(t *testing.T) {
			test(threeDeals.start(t), path, table)
		})
	}
}

var threeDeals = newFixture(func(s *service) {
	dealing.add(s)
	for _, deal := range []fields{{"name": "a", "client_id": 1}, {"name": "b", "client_id": 2}, {"name": "c"}} {
		s.as("manager").post("/rest/deal", deal).wants(200)
	}
})

// contract 7.20, 1.2, 2.8, 2.14, 4.2, 4.60, 4.67
func TestAgreementCreateRespondsLikeRead(t *testing.T) {
	t.Parallel()
	onAgreements(t, func(s *service, path, _ string) {
		t := s.t
		created := s.as("manager").with("Accept", "").post(path, fields{
			"deal_id": "1", "number": " N-1/№7 ", "date": "2024-02-29 23:05:07", "notice": "Roof & <Walls>", "created_on": "nonsense", "id": 9, "_nobody": "knows",
		})
		record := created.record()
		want := fmt.Sprintf(`{"response":{"id":1,"deal_id":1,"number":"N-1/№7","date":"2024-02-29 23:05:07","notice":"Roof & <Walls>","created_on":%q}}`, record["created_on"])
		if created.body != want {
			t.Errorf("got  %s\nwant %s", created.body, want)
		}
		if got, want := created.header.Get("Location"), s.url+path+"/1"; got != want {
			t.Errorf("Location is %s, want %s", got, want)
		}
		if read := s.as("viewer").get(created.header.Get("Location")); read.body != created.body {
			t.Errorf("the read returned\n%s\nthe creation\n%s", read.body, created.body)
		}
		xml := s.as("manager").with("Accept", "application/xml").post(path+"?fields=id,deal_id,number,date,notice", fields{"deal_id": 3, "number": "2"}).wants(200).body
		if !strings.HasSuffix(xml, "<response><id>2</id><deal_id>3</deal_id><number>2</number><date/><notice/></response>") {
			t.Errorf("got %s", xml)
		}
		s.as("viewer").get(path + "/3").rejected(404)
	})
}

// contract 7.27, 3.26, 4.45, 4.46, 4.48, 4.103
func TestAgreementFilterByDealClientAndNumber(t *testing.T) {
	t.Parallel()
	onAgreements(t, func(s *service, path, _ string) {
		t := s.t
		for _, agreement := range []fields{
			{"deal_id": 1, "number": "Straße-10%"}, {"deal_id": 2, "number": "strasse-10_"}, {"deal_id": 3, "number": "x"}, {"deal_id": 1, "number": "X-2"},
		} {
			s.as("manager").post(path, agreement).wants(200)
		}
		for query, want := range map[string]string{
			"":                             "1 2 3 4",
			"&deal_id=1":                   "1 4",
			"&deal_id=3":                   "3",
			"&deal_id=99":                  "",
			"&client_id=1":                 "1 4",
			"&client_id=2":                 "2",
			"&client_id=99":                "",
			"&client_id=1&deal_id=2":       "",
			"&client_id=1&number=x":        "4",
			"&number=STRASSE":              "1 2",
			"&number=10%25":                "1",
			"&number=0_":                   "2",
			"&number=X":                    "3 4",
			"&number=&deal_id=&client_id=": "1 2 3 4",
		} {
			if got := strings.Join(s.as("viewer").get(path+"?sort=id"+query).column("id"), " "); got != want {
				t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
		for _, query := range []string{
			"deal_id=x", "client_id=0", "deal_id=-1", "client_id=1.5", "number=" + strings.Repeat("x", 256), "fields=client_id", "sort=client_id", "expand=deal",
		} {
			s.as("viewer").get(path + "?" + query).rejected(400)
		}
	})
}
