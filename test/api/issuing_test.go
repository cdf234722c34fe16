package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/postgres/pgstore"
	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/pgtest"
)

// issuer is printable, and numbers its invoices and credit notes.
func issuer(t *testing.T, options ...func(*bootstrap.Config)) *service {
	t.Helper()
	s := printable(t, options...)
	s.complete("1", fields{"numbering": "series", "number_pattern": "{year}-{seq:4}", "credit_pattern": "C{seq}"})
	return s
}

// drafted adds a draft with two lines to the one that there is, and returns its path.
func (s *service) drafted(more fields) string {
	s.t.Helper()
	lines := []fields{goods("Catalogue", 3, "19.99"), goods("Discount", -1, "5.00")}
	created := s.as("manager").post("/rest/invoice", bill(fieldsWith(fields{"number": nil, "items": lines}, more))).wants(200).record()
	return "/rest/invoice/" + text(created["id"])
}

func (r *reply) wantsText(want fields) {
	r.t.Helper()
	record := r.record()
	if status, ok := record["status"].(map[string]any); ok {
		record["status_id"] = status["id"]
	}
	for name, value := range want {
		if got := text(record[name]); got != text(value) {
			r.t.Errorf("%s is %s, want %s", name, got, text(value))
		}
	}
}

// contract 16.50, 16.52, 16.54
func TestIssuingNumbersInvoices(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager := s.as("manager")
	first, second, third := s.drafted(nil), s.drafted(fields{"date": "2025-01-02"}), s.drafted(fields{"number": ""})
	manager.get(first).wants(200).wantsText(fields{"number": "draft-2", "issued_on": nil, "credits": nil})
	manager.post(third+"/issue", nil).wants(200).wantsText(fields{"number": "2024-0001", "date": "2024-03-09 00:00:00", "credits": nil})
	manager.post(second+"/issue", fields{}).wants(200).wantsText(fields{"number": "2025-0001"})
	issued := manager.post(first+"/issue", fields{"date": "2024-05-06"}).wants(200)
	issued.wantsText(fields{"number": "2024-0002", "date": "2024-05-06 00:00:00"})
	if issued.record()["issued_on"] == nil || issued.header.Get("Location") != "" {
		t.Errorf("issued, it is %s at %q", issued.body, issued.header.Get("Location"))
	}
	manager.post("/rest/invoice/1/issue", nil).wants(200).wantsText(fields{"number": "2024-0003"})
	if read := manager.get(first).wants(200); read.header.Get("ETag") != issued.header.Get("ETag") {
		t.Errorf("read, the invoice is %s", read.body)
	}
}

// contract 4.51, 16.50
func TestIssuingSavesTheInvoiceOnce(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	draft := s.drafted(nil)
	if tag := s.as("manager").post(draft+"/issue?as=none", nil).wants(200).header.Get("ETag"); !strings.HasPrefix(tag, `"2-`) {
		t.Errorf("issued, the draft has the ETag %s, want the version 2", tag)
	}
}

// contract 16.51, 16.52
func TestIssuingNeedsACompleteDocument(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager, draft := s.as("manager"), s.drafted(nil)
	refused := manager.post(draft+"/issue?as=xrechnung", nil).wants(http.StatusUnprocessableEntity)
	if !strings.Contains(refused.body, `"code":"incomplete"`) || !strings.Contains(refused.body, `"rule":"BR-DE-15"`) {
		t.Errorf("refused with %s", refused.body)
	}
	manager.post(draft+"/issue?as=paper", nil).rejected(http.StatusBadRequest)
	manager.dry().post(draft+"/issue", nil).wants(200).wantsText(fields{"number": "2024-0001"})
	manager.get(draft).wantsText(fields{"number": "draft-2", "issued_on": nil})
	s.as("manager").put("/rest/client/1/party", fields{}).wants(200)
	manager.post(draft+"/issue", nil).rejected(http.StatusUnprocessableEntity)
	manager.post(draft+"/issue?as=none", nil).wants(200).wantsText(fields{"number": "2024-0001"})
}

// contract 16.53
func TestIssuingIsRefused(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager := s.as("manager")
	empty := s.drafted(fields{"items": []fields{}})
	if p := manager.post(empty+"/issue", nil).rejected(http.StatusUnprocessableEntity); p.Errors[0].Field != "items" {
		t.Errorf("the errors are %v", p.Errors)
	}
	if p := manager.post(empty+"/issue", fields{"date": "2024-02-30"}).rejected(http.StatusUnprocessableEntity); p.Errors[0].Field != "date" {
		t.Errorf("the errors are %v", p.Errors)
	}
	issued, closed, cancelled := s.drafted(nil), s.drafted(fields{"status_id": 3}), s.drafted(fields{"status_id": 4})
	manager.post(issued+"/issue", nil).wants(200)
	for _, path := range []string{issued, closed, cancelled} {
		manager.post(path+"/issue", nil).rejected(http.StatusConflict)
	}
	s.as("viewer").post(issued+"/issue", nil).rejected(http.StatusForbidden)
	manager.post("/rest/invoice/99/issue", nil).rejected(http.StatusNotFound)
	other := s.as("admin").post("/rest/performer", fields{"name": "By hand"}).wants(200).record()["id"]
	byHand := s.drafted(fields{"number": "7", "performer_id": other})
	manager.post(byHand+"/issue", nil).rejected(http.StatusConflict)
}

// contract 16.54
func TestNumbersOfASeriesAreNotGivenByHand(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager := s.as("manager")
	if p := manager.post("/rest/invoice", bill(fields{"number": "2024-0001"})).rejected(http.StatusUnprocessableEntity); p.Errors[0].Field != "number" {
		t.Errorf("the errors are %v", p.Errors)
	}
	draft := s.drafted(nil)
	manager.patch(draft, fields{"number": "draft-2", "notice": "as it was"}).wants(200)
	p := manager.patch(draft, fields{"number": "2024-0001", "date": "never"}).rejected(http.StatusUnprocessableEntity)
	if len(p.Errors) != 2 {
		t.Errorf("the errors are %v", p.Errors)
	}
	manager.put(draft, manager.get(draft).record()).wants(200)
	if dry := manager.dry().post("/rest/invoice", bill(fields{"number": nil})).wants(200).record(); !strings.HasPrefix(text(dry["number"]), "draft-") {
		t.Errorf("a dry run shows %v", dry)
	}
}

// contract 16.55, 16.62
func TestIssuedInvoiceIsFrozen(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager, path := s.as("manager"), s.drafted(nil)
	manager.post(path+"/issue", nil).wants(200)
	for _, change := range []fields{
		{"number": "1"}, {"date": "2024-01-01"}, {"due_date": "2024-01-01"}, {"performer_id": 2}, {"type_id": 2}, {"ref": "a"}, {"items": []fields{}}, {"status_id": 4},
	} {
		if r := manager.patch(path, change); r.status != http.StatusConflict && r.status != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", change, r.status)
		}
	}
	line := text(manager.get(path + "?expand=items").record()["items"].([]any)[0].(map[string]any)["id"])
	manager.delete("/rest/invoice-items/" + line).rejected(http.StatusConflict)
	manager.delete(path).rejected(http.StatusConflict)
	manager.patch(path, fields{"notice": "Thank you", "paid": true}).wants(200).wantsText(fields{"number": "2024-0001", "status_id": 2})
	manager.patch(path, fields{"closed": true}).wants(200)
	manager.delete(path).rejected(http.StatusConflict)
}

// contract 16.56, 16.13
func TestDocumentOfAnIssuedInvoiceStays(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	admin, path := s.as("admin"), s.drafted(nil)
	admin.post(path+"/issue", nil).wants(200)
	before := map[string]string{}
	for _, form := range []string{"pdf", "html", "ubl", "cii"} {
		before[form] = admin.get(path + "/document?as=" + form).wants(200).body
	}
	if !strings.Contains(before["ubl"], "<cbc:ID>2024-0001</cbc:ID>") {
		t.Errorf("the document has another number: %s", before["ubl"])
	}
	admin.patch("/rest/performer/1", fields{"name": "Südlicht", "company_name": "Südlicht GmbH", "booker": "Nobody"}).wants(200)
	admin.patch("/rest/client/1", fields{"name": "Somebody else"}).wants(200)
	party := admin.get("/rest/performer/1/party").record()
	admin.put("/rest/performer/1/party", fieldsWith(party, fields{"city": "München", "vat_reason": "none"})).wants(200)
	admin.put("/rest/client/1/party", fields{}).wants(200)
	admin.patch(path, fields{"notice": "Changed", "paid": true}).wants(200)
	for form, body := range before {
		if admin.get(path+"/document?as="+form).wants(200).body != body {
			t.Errorf("as %s, another document was printed", form)
		}
	}
}

// contract 16.57, 16.58, 16.43
func TestPatternsOfSeries(t *testing.T) {
	t.Parallel()
	s := printable(t)
	admin := s.as("admin")
	party := admin.get("/rest/performer/1/party").record()
	put := func(more fields) *reply {
		return admin.put("/rest/performer/1/party", fieldsWith(fieldsWith(fields{}, party), more))
	}
	for _, tt := range []struct {
		party fields
		field string
	}{
		{fields{"numbering": "series"}, "number_pattern"},
		{fields{"numbering": "series", "number_pattern": "{year}"}, "number_pattern"},
		{fields{"numbering": "series", "number_pattern": "{seq}", "credit_pattern": "{year}{seq:3}"}, "credit_pattern"},
		{fields{"numbering": "series", "number_pattern": "{year}/{seq}"}, "number_pattern"}, // the number of the invoice
	} {
		if p := put(tt.party).rejected(http.StatusUnprocessableEntity); p.Errors[0].Field != tt.field {
			t.Errorf("%v: the errors are %v", tt.party, p.Errors)
		}
	}
	series := fields{"numbering": "series", "number_pattern": "R{seq}"}
	put(series).wants(200)
	put(fieldsWith(series, fields{"number_pattern": "S{seq}"})).wants(200)
	admin.post("/rest/invoice/1/issue", nil).wants(200).wantsText(fields{"number": "S1"})
	put(fieldsWith(series, fields{"number_pattern": "T{seq}"})).rejected(http.StatusConflict)
	admin.delete("/rest/performer/1/party").rejected(http.StatusConflict)
	put(fieldsWith(series, fields{"number_pattern": "S{seq}", "credit_pattern": "C{seq}"})).wants(200)
	put(fields{"numbering": "manual", "number_pattern": "S{seq}", "credit_pattern": "D{seq}"}).wants(200)
	admin.delete("/rest/performer/1").rejected(http.StatusConflict)
}

// contract 16.60, 16.61, 16.62
func TestCreditNotes(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager, path := s.as("manager"), s.drafted(nil)
	manager.post(path+"/credit", nil).rejected(http.StatusConflict)
	manager.post(path+"/issue", nil).wants(200)
	lines := manager.get(path + "?expand=items").record()["items"].([]any)
	line := func(i int) any { return lines[i].(map[string]any)["id"] }
	for _, items := range [][]fields{
		{}, {{"id": line(0), "count": 4}}, {{"id": line(0), "count": 0}}, {{"id": line(0), "count": -1}}, {{"id": line(1), "count": 1}}, {{"id": 99}}, {{"count": 1}},
		{{"id": line(0), "count": 2}, {"id": line(0), "count": 2}},
	} {
		p := manager.post(path+"/credit", fields{"items": items}).rejected(http.StatusUnprocessableEntity)
		if len(p.Errors) != 1 || !strings.HasPrefix(p.Errors[0].Field, "items") {
			t.Errorf("%v: the errors are %v", items, p.Errors)
		}
	}
	part := manager.post(path+"/credit", fields{"date": "2024-04-01", "items": []fields{{"id": line(0), "count": 1}}}).wants(200)
	part.wantsText(fields{"number": "C1", "credits": 2, "total_price": "-19.9900", "date": "2024-04-01 00:00:00", "total_count": 1, "status_id": 2})
	if part.header.Get("Location") == "" || part.record()["issued_on"] == nil {
		t.Errorf("the credit note is %s at %q", part.body, part.header.Get("Location"))
	}
	note := "/rest/invoice/" + text(part.record()["id"])
	printed := manager.get(note + "/document?as=ubl").wants(200).body
	for _, want := range []string{"<CreditNote", "<cbc:ID>C1</cbc:ID>", "<cbc:ID>2024-0001</cbc:ID>", ">19.99<"} {
		if !strings.Contains(printed, want) {
			t.Errorf("%s has no %s", printed, want)
		}
	}
	manager.post(note+"/credit", nil).rejected(http.StatusConflict)
	manager.post(note+"/issue", nil).rejected(http.StatusConflict)
	manager.delete(note).rejected(http.StatusConflict)
	manager.get(path).wantsText(fields{"status_id": 1})
	manager.post(path+"/credit", fields{"items": []fields{{"id": line(0), "count": 3}}}).rejected(http.StatusUnprocessableEntity)
	manager.post(path+"/credit", nil).wants(200).wantsText(fields{"number": "C2", "total_price": "-34.9800", "status_id": 4})
	manager.get(path).wantsText(fields{"status_id": 4})
	manager.get(note).wantsText(fields{"status_id": 4})
	manager.post(path+"/credit", nil).rejected(http.StatusUnprocessableEntity)
	manager.patch(path, fields{"status_id": 1}).rejected(http.StatusConflict)
	paid := s.drafted(fields{"paid": true})
	manager.post(paid+"/issue", nil).wants(200)
	refund := manager.post(paid+"/credit", nil).wants(200)
	refund.wantsText(fields{"status_id": 1})
	manager.get(paid).wantsText(fields{"status_id": 2})
	manager.patch(paid, fields{"paid": false}).wants(200).wantsText(fields{"status_id": 4})
	manager.get("/rest/invoice/" + text(refund.record()["id"])).wantsText(fields{"status_id": 4})
}

// contract 16.63
func TestIssuingIsExecutedOnceForAKey(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager := s.as("manager").withKey("a")
	first, second := s.drafted(nil), s.drafted(nil)
	issued := manager.post(first+"/issue", nil).wants(200)
	if again := manager.post(first+"/issue", nil).wants(200); again.body != issued.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("repeated, it is %s", again.body)
	}
	manager.post(second+"/issue", nil).wants(200).wantsText(fields{"number": "2024-0002"})
	credited := manager.post(first+"/credit", nil).wants(200)
	if again := manager.post(first+"/credit", nil).wants(200); again.body != credited.body {
		t.Errorf("repeated, it is %s", again.body)
	}
}

// contract 16.64, 16.52
func TestSeriesOfAPerformer(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager := s.as("manager")
	for i := range 3 {
		path := s.drafted(fields{"date": fmt.Sprintf("%d-01-01", 2024+i/2)})
		manager.post(path+"/issue", nil).wants(200)
	}
	manager.post("/rest/invoice/2/credit", nil).wants(200)
	const want = `{"response":{"id":1,"items":[` +
		`{"kind":"invoice","year":2024,"first":"2024-0001","last":"2024-0002","count":2,"next":"2024-0003","gaps":0},` +
		`{"kind":"invoice","year":2025,"first":"2025-0001","last":"2025-0001","count":1,"next":"2025-0002","gaps":0},` +
		`{"kind":"credit","year":null,"first":"C1","last":"C1","count":1,"next":"C2","gaps":0}]}}`
	if got := s.as("viewer").get("/rest/performer/1/series").wants(200).body; got != want {
		t.Errorf("the series are\n%s, want\n%s", got, want)
	}
	if got := s.as("viewer").get("/rest/performer/1/series?fields=items.next").wants(200).body; !strings.HasPrefix(got, `{"response":{"items":[{"next":"2024-0003"}`) {
		t.Errorf("the selected attributes are %s", got)
	}
	s.execute("delete from issued_documents where number = '2024-0001'")
	if got := s.as("viewer").get("/rest/performer/1/series").wants(200).body; !strings.Contains(got, `"count":1,"next":"2024-0003","gaps":1`) {
		t.Errorf("without a document, the series are %s", got)
	}
	s.as("viewer").get("/rest/performer/9/series").rejected(http.StatusNotFound)
}

// contract 16.65
func TestVerificationFindsChangedDocuments(t *testing.T) {
	t.Parallel()
	pgtest.SkipOnCitus(t, "documents cannot be changed by its statements there")
	s := issuer(t)
	for range 4 {
		s.as("manager").post(s.drafted(nil)+"/issue", nil).wants(200)
	}
	verify := func() string {
		read, broken, err := pgstore.VerifySeries(t.Context(), pgtest.DB(t, s.database, s.zone))
		if err != nil {
			t.Fatal(err)
		}
		found := []string{fmt.Sprint(read)}
		for _, b := range broken {
			found = append(found, strings.TrimSpace(b.Number+" "+b.Problem))
		}
		return strings.Join(found, "; ")
	}
	if got := verify(); got != "4" {
		t.Errorf("as they were issued: %s", got)
	}
	const document = "document = convert_to(replace(convert_from(document, 'UTF8'), '19.99', '18.99'), 'UTF8')"
	for _, tt := range []struct{ change, want string }{
		{"set " + document + " where number = '2024-0002'", "4; 2024-0002 it was changed"},
		{"set " + document + ", sha256 = sha256(previous || convert_to(replace(convert_from(document, 'UTF8'), '19.99', '18.99'), 'UTF8')) where seq = 2",
			"4; 2024-0003 its predecessor was changed"},
		{"set number = '2024-0005' where seq = 3", "4; 2024-0005 it is that of invoice 4 with the number 2024-0003"},
		{"set seq = 9 where seq = 4", "4; 2024-0004 documents before it are missing; the series has 4 documents, of which the last one found is number 9"},
	} {
		s.execute("create table kept as table issued_documents")
		s.execute("update issued_documents " + tt.change)
		if got := verify(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.change, got, tt.want)
		}
		s.execute("update issued_documents d set (seq, number, document, sha256) = (select seq, number, document, sha256 from kept k where k.invoice_id = d.invoice_id)")
		s.execute("drop table kept")
	}
	s.execute("delete from issued_documents where seq = 4")
	if got := verify(); got != "3; the series has 4 documents, of which the last one found is number 3" {
		t.Errorf("without the last document: %s", got)
	}
}
