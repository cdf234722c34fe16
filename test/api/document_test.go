package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onDocuments runs a test for offers and for contracts, which keep the same
// promises. The manager has three deals: the first with Acme (client 1), the
// second with Berta (client 2), the third with nobody.
func onDocuments(t *testing.T, test func(s *service, path, table string)) {
	t.Helper()
	for path, table := range map[string]string{"/rest/offer": "offers", "/rest/contract": "contracts"} {
		t.Run(table, func(t *testing.T) {
			s := startDealing(t)
			for _, deal := range []fields{{"name": "a", "client_id": 1}, {"name": "b", "client_id": 2}, {"name": "c"}} {
				s.as("manager").post("/rest/deal", deal).wants(200)
			}
			test(s, path, table)
		})
	}
}

// contract 7.20, 9.28, 9.29
func TestClientDocumentCountsFollowDeals(t *testing.T) {
	t.Parallel()
	for path, count := range map[string]string{"/rest/offer": "count_offers", "/rest/contract": "count_contracts"} {
		t.Run(count, func(t *testing.T) {
			s := startDealing(t)
			manager := s.as("manager")
			for _, client := range []any{1, 1, 2, nil} {
				manager.post("/rest/deal", fields{"name": "x", "client_id": client}).wants(200)
			}
			for _, deal := range []int{1, 2, 2, 4} {
				manager.post(path, fields{"deal_id": deal, "number": "1"}).wants(200)
			}
			counts := func(want ...string) {
				t.Helper()
				if got := manager.get("/rest/client?sort=id&" + count + "=1").column(count); !cmp.Equal(got, want) {
					t.Errorf("the clients have %v, want %v", got, want)
				}
			}
			counts("3", "0")
			manager.put(path+"/1", fields{"deal_id": 3}).wants(200)
			counts("2", "1")
			manager.put("/rest/deal/4", fields{"client_id": 2}).wants(200)
			counts("2", "2")
			manager.delete(path + "/2").wants(200)
			counts("1", "2")
			other := map[string]string{"count_offers": "count_contracts", "count_contracts": "count_offers"}[count]
			if got := text(manager.get("/rest/client/1?" + other + "=1").record()[other]); got != "0" {
				t.Errorf("%s is %s, want 0", other, got)
			}
		})
	}
}

// contract 7.21, 7.22, 7.23, 7.24, 7.25, 7.26, 1.11, 1.12, 2.8, 2.18, 4.2, 4.60, 4.67
func TestDocumentCreateRespondsLikeRead(t *testing.T) {
	t.Parallel()
	onDocuments(t, func(s *service, path, _ string) {
		t := s.t
		created := s.as("manager").with("Accept", "").post(path, fields{
			"deal_id": "1", "number": " N-1/№7 ", "date": "2024-02-29 23:05:07", "notice": "Roof & <Walls>", "created_on": "nonsense", "id": 9, "nobody": "knows",
		})
		record := created.record()
		want := fmt.Sprintf(`{"response":{"id":1,"deal_id":1,"number":"N-1/№7","date":"2024-02-29 23:05:07","notice":"Roof & <Walls>","created_on":%q}}`, record["created_on"])
		if created.body != want {
			t.Errorf("got  %s\nwant %s", created.body, want)
		}
		if got, want := created.header.Get("Location"), s.url+path+"/1"; got != want {
			t.Errorf("it lies at %s, want %s", got, want)
		}
		if read := s.as("viewer").get(created.header.Get("Location")); read.body != created.body {
			t.Errorf("the new record reads\n%s\nits creation answered\n%s", read.body, created.body)
		}
		xml := s.as("manager").with("Accept", "application/xml").post(path+"?fields=id,deal_id,number,date,notice", fields{"deal_id": 3, "number": "2"}).wants(200).body
		if !strings.HasSuffix(xml, "<response><id>2</id><deal_id>3</deal_id><number>2</number><date/><notice/></response>") {
			t.Errorf("got %s", xml)
		}
		s.as("viewer").get(path + "/3").refused(404)
	})
}

// contract 7.22, 7.23, 7.24, 7.25, 4.74, 4.76, 3.3, 3.19, 3.29, 5.15
func TestDocumentValidationNamesEveryFieldAndStoresNothing(t *testing.T) {
	t.Parallel()
	onDocuments(t, func(s *service, path, table string) {
		t := s.t
		for _, c := range []struct {
			body  any
			wrong []string
		}{
			{fields{}, []string{"deal_id", "number"}},
			{fields{"deal_id": nil, "number": ""}, []string{"deal_id", "number"}},
			{fields{"deal_id": "", "number": " "}, []string{"deal_id", "number"}},
			{fields{"deal_id": 0, "number": []int{1}, "date": true, "notice": fields{}}, []string{"deal_id", "number", "date", "notice"}},
			{fields{"deal_id": 1, "number": strings.Repeat("ü", 65)}, []string{"number"}},
			{fields{"deal_id": 1, "number": "1", "date": "31.12.2024"}, []string{"date"}},
			{fields{"deal_id": 1, "number": "1", "date": "1899-12-31"}, []string{"date"}},
			{fields{"deal_id": 1, "number": "1", "notice": strings.Repeat("x", 65_536)}, []string{"notice"}},
			{fields{"deal_id": 99, "number": "1"}, []string{"deal_id"}},
			{fields{"deal_id": 99}, []string{"number"}},
		} {
			if got := s.as("manager").post(path, c.body).blames(); !cmp.Equal(got, c.wrong) {
				t.Errorf("%v: blames %v, want %v", c.body, got, c.wrong)
			}
		}
		s.as("viewer").post(path, fields{"deal_id": 1, "number": "1"}).refused(403)
		if n := s.count(table, "true"); n != 0 {
			t.Errorf("%d %s were stored", n, table)
		}
		s.as("manager").post(path, fields{"deal_id": 1, "number": strings.Repeat("ü", 64), "notice": strings.Repeat("x", 65_535)}).wants(200)
	})
}

// contract 7.24, 10.7
func TestDocumentDateIsCivilTime(t *testing.T) {
	t.Parallel()
	onDocuments(t, func(s *service, path, _ string) {
		t := s.t
		for sent, want := range map[string]string{
			"2024-03-31":                "2024-03-31 00:00:00",
			"2024-03-31 02:30:00":       "2024-03-31 02:30:00",
			"2024-03-31T23:30:00+09:00": "2024-03-31 23:30:00",
			"1900-01-01":                "1900-01-01 00:00:00",
			"9999-12-31T23:59:59.9Z":    "9999-12-31 23:59:59",
			"":                          "null",
		} {
			if got := text(s.as("manager").post(path, fields{"deal_id": 1, "number": "1", "date": sent}).record()["date"]); got != want {
				t.Errorf("%q is shown as %s, want %s", sent, got, want)
			}
		}
	})
}

// contract 7.21, 7.22, 7.23, 7.24, 7.25, 7.26, 4.13, 4.14, 4.16, 4.25, 4.30, 4.33, 4.36
func TestDocumentSortByEveryFieldNewestFirst(t *testing.T) {
	t.Parallel()
	onDocuments(t, func(s *service, path, table string) {
		t := s.t
		for _, document := range []fields{
			{"deal_id": 2, "number": "b", "date": "2024-01-02"},
			{"deal_id": 1, "number": "C", "notice": "B"},
			{"deal_id": 2, "number": "a", "date": "2024-01-01", "notice": "a"},
		} {
			s.as("manager").post(path, document).wants(200)
		}
		s.alter("update " + table + " set created_on = created_on + interval '1 hour' where id = 2")
		for sort, want := range map[string]string{
			"":            "2 3 1",
			"created_on":  "2 3 1",
			"-created_on": "1 3 2",
			"id":          "1 2 3",
			"-id":         "3 2 1",
			"deal_id":     "2 1 3",
			"-deal_id":    "3 1 2",
			"number":      "3 1 2",
			"date":        "3 1 2",
			"-date":       "2 1 3",
			"notice":      "3 2 1",
			"deal_id,-id": "2 3 1",
		} {
			if got := strings.Join(s.as("viewer").get(path+"?sort="+sort).column("id"), " "); got != want {
				t.Errorf("sort=%s: got %s, want %s", sort, got, want)
			}
		}
		paged := s.as("viewer").get(path + "?per_page=2&page=2&fields=number")
		if want := `{"response":{"items":[{"number":"b"}]}}`; paged.wants(200).body != want {
			t.Errorf("got %s, want %s", paged.body, want)
		}
		if got := paged.header.Get("X-Pagination-Total-Count"); got != "3" {
			t.Errorf("the total is %s, want 3", got)
		}
		if got := s.as("viewer").get(path).header.Get("X-Pagination-Per-Page"); got != "20" {
			t.Errorf("%s to a page, want 20", got)
		}
	})
}

// contract 7.27, 3.26, 3.27, 4.45, 4.46, 4.48, 4.49, 4.50
func TestDocumentFilterByDealClientAndNumber(t *testing.T) {
	t.Parallel()
	onDocuments(t, func(s *service, path, _ string) {
		t := s.t
		for _, document := range []fields{
			{"deal_id": 1, "number": "Straße-10%"}, {"deal_id": 2, "number": "strasse-10_"}, {"deal_id": 3, "number": "x"}, {"deal_id": 1, "number": "X-2"},
		} {
			s.as("manager").post(path, document).wants(200)
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
			s.as("viewer").get(path + "?" + query).refused(400)
		}
	})
}

// contract 4.56, 4.57, 4.58, 4.51, 4.53, 3.11, 3.12, 3.16
func TestDocumentUpdateChangesSentFieldsOnly(t *testing.T) {
	t.Parallel()
	onDocuments(t, func(s *service, path, _ string) {
		t := s.t
		manager := s.as("manager")
		created := manager.post(path, fields{"deal_id": 1, "number": "1", "date": "2024-02-29", "notice": "n"})
		one := path + "/1"
		echoed := manager.put(one, created.body).wants(200)
		if got, want := echoed.header.Get("ETag"), created.header.Get("ETag"); echoed.body != created.body || got != want {
			t.Errorf("sending it back unchanged makes %s of %s:\n%s", got, want, echoed.body)
		}
		for i, method := range []string{http.MethodPut, http.MethodPatch} {
			changed := s.as("other").send(method, one, fields{"deal_id": 3 - i, "number": " 2 "}).record()
			if text(changed["deal_id"]) != fmt.Sprint(3-i) || changed["number"] != "2" || changed["notice"] != "n" || changed["date"] != "2024-02-29 00:00:00" {
				t.Errorf("%s: got %v", method, changed)
			}
		}
		emptied := manager.put(one, fields{"date": nil, "notice": ""}).record()
		if emptied["date"] != nil || emptied["notice"] != nil || emptied["created_on"] != created.record()["created_on"] {
			t.Errorf("got %v", emptied)
		}
		for _, c := range []struct {
			body  fields
			wrong []string
		}{
			{fields{"deal_id": "", "number": nil, "date": "x"}, []string{"date", "deal_id", "number"}},
			{fields{"deal_id": 99, "number": "lost"}, []string{"deal_id"}},
		} {
			if got := manager.put(one, c.body).blames(); !cmp.Equal(got, c.wrong) {
				t.Errorf("%v: blames %v, want %v", c.body, got, c.wrong)
			}
		}
		manager.with("If-Match", created.header.Get("ETag")).put(one, fields{"number": "stale"}).refused(412)
		s.as("viewer").put(one, fields{}).refused(403)
		manager.put(path+"/9", fields{"number": ""}).refused(404)
		if got := manager.get(one); text(got.record()["number"]) != "2" || !strings.HasPrefix(got.header.Get("ETag"), `"4-`) {
			t.Errorf("after the refusals it is %s, tagged %s", got.body, got.header.Get("ETag"))
		}
	})
}

// contract 7.18, 4.4, 4.53
func TestDocumentDeleteUnblocksDealDelete(t *testing.T) {
	t.Parallel()
	onDocuments(t, func(s *service, path, table string) {
		t := s.t
		manager := s.as("manager")
		created := manager.post(path, fields{"deal_id": 3, "number": "1"}).wants(200)
		one := path + "/1"
		if got := manager.delete("/rest/deal/3").refused(409).Detail; got != "the deal has "+table {
			t.Errorf("the refusal says %q", got)
		}
		s.as("viewer").delete(one).refused(403)
		manager.with("If-Match", `"2-x"`).delete(one).refused(412)
		if got := manager.with("If-Match", created.header.Get("ETag")).delete(one).wants(200).body; got != `{"response":{"id":1}}` {
			t.Errorf("got %s", got)
		}
		manager.get(one).refused(404)
		manager.delete(one).refused(404)
		manager.delete("/rest/deal/3").wants(200)
	})
}
