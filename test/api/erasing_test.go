package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// contract 9.33
func TestErasureLeavesNoPersonalData(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, manager := s.as("admin"), s.as("manager")
	admin.post("/rest/rule", fieldsWith(namesRequired("stays"), fields{
		"resource": "client", "expression": `after.name != "erased"`, "mode": "enforce",
	})).wants(200)
	for kind, more := range map[int]fields{
		1: {"company_address": "Zebulon 2", "bank_details": "Zebulon", "ref": "key-1"},
		2: {"person_details": "Zebulon", "ref": "key-2"},
	} {
		id := manager.post("/rest/client", fieldsWith(fields{
			"name": "Zebulon Quist", "type": kind, "email": "zebulon@example.org", "phone": "0431 Zebulon", "real_address": "Zebulon 1",
			"description": "Zebulon", "user": 2,
		}, more)).id()
		path := "/rest/client/" + id
		manager.put(path+"/party", fields{"legal_name": "Zebulon", "city": "Zebulon"}).wants(200)
		admin.patch(path, fields{"user": 1}).wants(200) // which the log has with its values
		contact := manager.post("/rest/contact", fields{"name": "Zebulon junior", "client_id": id}).id()

		manager.post(path+"/erase", nil).rejected(403)
		admin.with("If-Match", `"77"`).post(path+"/erase", nil).rejected(412)
		admin.post(path+"/erase", fields{"nickname": "x"}).rejected(422)
		admin.post(path+"/erase?dry_run=1", nil).wants(200)
		if before := admin.get(path).record(); before["name"] != "Zebulon Quist" || before["erased_on"] != nil {
			t.Errorf("refused or not stored, the client is %v", before)
		}
		first := admin.post(path+"/erase", nil).record()
		if first["name"] != "erased" || first["ref"] != more["ref"] || first["erased_on"] == nil || first["email"] != nil {
			t.Errorf("erased, the client is %v", first)
		}
		if again := admin.post(path+"/erase", fields{}).record(); again["erased_on"] != first["erased_on"] {
			t.Errorf("erased again, the client is %v", again)
		}
		admin.get(path + "/party").rejected(404)
		admin.get("/rest/contact/" + contact).rejected(404)
		body := admin.get(path + "/changes").wants(200).body
		if strings.Contains(body, `"old":"`) || strings.Contains(body, `"new":"`) || strings.Count(body, `"name":"erased_on"`) != 1 {
			t.Errorf("the log has %s", body)
		}
	}
	if got := admin.get("/rest/client?name=zebulon").items(); len(got) != 0 {
		t.Errorf("the search finds %v", got)
	}
	admin.post("/rest/client/999/erase", nil).rejected(404)
	s.hasNowhere("zebulon")
}

// hasNowhere checks that no table has the text.
func (s *service) hasNowhere(text string) {
	s.t.Helper()
	rows, err := s.pool.Query(s.t.Context(), "select tablename from pg_tables where schemaname = current_schema()")
	if err != nil {
		s.t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 30 {
		s.t.Fatalf("the tables are %v: %v", tables, err)
	}
	for _, table := range tables {
		if found := s.count(table+" r", "r::text ilike '%"+text+"%'"); found != 0 {
			s.t.Errorf("%s has the text %s in %d rows", table, text, found)
		}
	}
}

// contract 9.33
func TestErasureKeepsIssuedDocumentsAndPayments(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	admin := s.as("admin")
	admin.patch("/rest/client/1", fields{"name": "Zebulon", "company_address": "Zebulon 2"}).wants(200)
	path := s.drafted(nil)
	issued := admin.post(path+"/issue", nil).record()
	payment := "/rest/payment/" + admin.post("/rest/payment", payment("20", fields{
		"client_id": 1, "items": []fields{{"invoice_id": issued["id"], "amount": "20"}},
	})).id()
	read := func() (all []string) {
		for _, form := range []string{"ubl", "cii", "html", "pdf", "facturx"} {
			all = append(all, admin.get(path+"/document?as="+form).wants(200).body)
		}
		return append(all, admin.get(path+"?fields=number,date,pay_price,paid_price,issued_on,updated_on").wants(200).body, admin.get(payment).wants(200).body)
	}
	before := read()
	if !strings.Contains(before[0], "Zebulon") {
		t.Errorf("the document does not name the client: %s", before[0])
	}
	admin.post("/rest/client/1/erase", nil).wants(200)
	for i, now := range read() {
		if now != before[i] {
			t.Errorf("document or record %d has changed:\n%s\nwas\n%s", i, now, before[i])
		}
	}
	for _, list := range []string{
		"/rest/client", "/rest/client/1", "/rest/client/1/changes", "/rest/invoice?expand=company", "/rest/payment", "/rest/deal?expand=client",
		"/rest/report/receivables?by=client", "/rest/report/revenue?from=2024-01-01&by=client", "/rest/report/overdue",
	} {
		for _, body := range []string{admin.get(list).wants(200).body, paying{s}.page(list)} {
			if strings.Contains(body, "Zebulon") {
				t.Errorf("%s names the client: %s", list, body)
			}
		}
	}
	for _, list := range []string{"/rest/client", "/rest/invoice?fields=id,client_id", "/rest/report/receivables?by=client"} {
		if r := admin.with("Accept", "text/csv").get(list).wants(200); strings.Contains(r.body, "Zebulon") {
			t.Errorf("%s in CSV names the client: %s", list, r.body)
		}
	}
	s.hasNowhere("zebulon")
}

// contract 9.33, 16.50
func TestErasureWhileAnInvoiceIsIssued(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	admin := s.as("admin")
	for range 5 {
		id := admin.post("/rest/client", fields{"name": "Zebulon", "type": 2, "real_address": "Zebulon 1"}).id()
		admin.put("/rest/client/"+id+"/party", fields{"legal_name": "Zebulon", "country": "DE"}).wants(200)
		path := s.drafted(fields{"client_id": id})
		erased := make(chan *reply)
		go func() { erased <- admin.patiently(http.MethodPost, "/rest/client/"+id+"/erase", nil) }()
		issued := admin.patiently(http.MethodPost, path+"/issue", nil)
		isIncomplete := issued.status == http.StatusUnprocessableEntity && strings.Contains(issued.body, "BT-55") // erased before
		if issued.status != http.StatusOK && !isIncomplete {
			t.Errorf("issued: %d %s", issued.status, issued.body)
		}
		if r := <-erased; r.status != http.StatusOK {
			t.Fatalf("erased: %d %s", r.status, r.body)
		}
		document := admin.get(path + "/document?as=html").wants(200).body
		if strings.Contains(document, "Zebulon") == isIncomplete || strings.Contains(document, "erased") != isIncomplete {
			t.Errorf("issued: %v, but the document is %s", !isIncomplete, document)
		}
		if record := admin.get("/rest/client/" + id).wants(200).body; strings.Contains(record, "Zebulon") {
			t.Errorf("the client is %s", record)
		}
	}
}
