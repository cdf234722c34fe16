package api_test

import (
	"net/http"
	"strings"
	"testing"
)

func (r *reply) wantsParts(parts ...string) {
	r.t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.body, part) {
			r.t.Errorf("%s has no %s", r.body, part)
		}
	}
}

// contract 16.4, 16.58
func TestCreditNoteIsInTheTermsOfItsInvoice(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	admin, path := s.as("admin"), s.drafted(nil)
	admin.post(path+"/issue", nil).wants(200)
	party := admin.get("/rest/performer/1/party").record()
	admin.put("/rest/performer/1/party", fieldsWith(fieldsWith(fields{}, party), fields{"currency": "CHF"})).rejected(http.StatusConflict)
	admin.patch("/rest/performer/1", fields{"vat_use": false}).wants(200)
	admin.put("/rest/performer/1/party", fieldsWith(party, fields{"vat_category": "exempt", "vat_reason": "small business"})).wants(200)
	note := admin.post(path+"/credit", fields{"notice": "Returned, with thanks"}).wants(200)
	note.wantsText(fields{"number": "C1", "notice": "Returned, with thanks"})
	printed := "/rest/invoice/" + text(note.record()["id"]) + "/document?as="
	admin.get(printed+"ubl").wants(200).wantsParts(`currencyID="EUR"`, "<cbc:Note>Returned, with thanks</cbc:Note>", "<cbc:ID>S</cbc:ID>")
	admin.get(printed+"cii").wants(200).wantsParts("Returned, with thanks", "<ram:CategoryCode>S</ram:CategoryCode>")
	admin.get(printed + "html").wants(200).wantsParts("Returned, with thanks")
}

// contract 16.75
func TestCreditOfAnInvoiceNumberedByHand(t *testing.T) {
	t.Parallel()
	s := printable(t)
	manager, viewer := s.as("manager"), s.as("viewer")
	const path = "/rest/invoice/1"
	for _, body := range []fields{{}, {"number": ""}, {"number": "draft-7"}} {
		if p := manager.post(path+"/credit", body).rejected(http.StatusUnprocessableEntity); p.Errors[0].Field != "number" {
			t.Errorf("%v: the errors are %v", body, p.Errors)
		}
	}
	manager.get(path).wantsText(fields{"issued_on": nil})
	line := manager.get(path + "?expand=items").record()["items"].([]any)[0].(map[string]any)["id"]
	part := manager.post(path+"/credit", fields{"number": "K-1", "notice": "Returned", "items": []fields{{"id": line, "count": 1}}}).wants(200)
	part.wantsText(fields{"number": "K-1", "credits": 1, "total_price": "-19.9900", "notice": "Returned"})
	note := "/rest/invoice/" + text(part.record()["id"])
	viewer.get(note+"/document?as=ubl").wants(200).wantsParts("<CreditNote", "<cbc:ID>K-1</cbc:ID>", "<cbc:ID>2024/7</cbc:ID>", "Returned")
	viewer.get(path + "/document?as=ubl").wants(200).wantsParts("<cbc:ID>2024/7</cbc:ID>")
	for _, frozen := range []string{path, note} {
		manager.patch(frozen, fields{"items": []fields{}}).rejected(http.StatusConflict)
		manager.delete(frozen).rejected(http.StatusConflict)
	}
	manager.post(note+"/credit", fields{"number": "K-2"}).rejected(http.StatusConflict)
	manager.post(path+"/credit", fields{"number": "K-2"}).wants(200).wantsText(fields{"total_price": "-39.9800"})
	manager.get(path).wantsText(fields{"status_id": 4})
	if series := viewer.get("/rest/performer/1/series").wants(200).body; !strings.Contains(series, `"items":[]`) {
		t.Errorf("the series are %s", series)
	}
	cancelled := s.drafted(fields{"number": "8", "status_id": 4})
	manager.post(cancelled+"/credit", fields{"number": "K-3"}).rejected(http.StatusConflict)
}

// contract 16.75, 16.57
func TestNumberOfACreditNoteByHandIsNotThatOfASeries(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager := s.as("manager")
	for _, number := range []string{"2024-0001", "C7"} {
		if p := manager.post("/rest/invoice/1/credit", fields{"number": number}).rejected(http.StatusUnprocessableEntity); p.Errors[0].Field != "number" {
			t.Errorf("%s: the errors are %v", number, p.Errors)
		}
	}
	manager.post("/rest/invoice/1/credit", fields{"number": "K-1"}).wants(200).wantsText(fields{"number": "K-1"})
	draft := s.drafted(nil)
	manager.post(draft+"/issue", nil).wants(200).wantsText(fields{"number": "2024-0001"})
	if p := manager.post(draft+"/credit", fields{"number": "K-2"}).rejected(http.StatusUnprocessableEntity); p.Errors[0].Field != "number" {
		t.Errorf("the errors are %v", p.Errors)
	}
}

// contract 16.57
func TestNumbersOfAPerformerNeverMeet(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	admin := s.as("admin")
	other := admin.post("/rest/performer", fields{"name": "By hand"}).wants(200).record()["id"]
	moved := s.drafted(fields{"number": "2024-0001", "performer_id": other})
	if p := admin.patch(moved, fields{"performer_id": 1, "number": "2024-0002"}).rejected(http.StatusUnprocessableEntity); p.Errors[0].Field != "number" {
		t.Errorf("the errors are %v", p.Errors)
	}
	admin.patch(moved, fields{"performer_id": 1}).wants(200).wantsText(fields{"number": "draft-2"})
	issued := s.drafted(nil)
	admin.post(issued+"/issue", nil).wants(200).wantsText(fields{"number": "2024-0001"})
	party := admin.get("/rest/performer/1/party").record()
	admin.put("/rest/performer/1/party", fieldsWith(party, fields{"numbering": "manual"})).wants(200)
	byHand := s.drafted(fields{"number": "7"})
	back := s.drafted(fields{"number": "2024-0001", "performer_id": other})
	for _, r := range []*reply{
		admin.post("/rest/invoice", bill(fields{"number": "2024-0001"})),
		admin.post("/rest/invoice", bill(fields{"number": "draft-77"})),
		admin.patch(byHand, fields{"number": "2024-0001"}),
		admin.patch(back, fields{"performer_id": 1}),
		admin.put(back, fieldsWith(admin.get(back).record(), fields{"performer_id": 1, "performer": nil})),
	} {
		if p := r.rejected(http.StatusUnprocessableEntity); p.Errors[0].Field != "number" {
			t.Errorf("the errors are %v", p.Errors)
		}
	}
	admin.patch(back, fields{"performer_id": 1, "number": "8"}).wants(200).wantsText(fields{"number": "8"})
	admin.patch(moved, fields{"performer_id": other}).wants(200).wantsText(fields{"number": "draft-2"})
}

// contract 16.76
func TestDocumentsOfInvoicesThatDoNotCount(t *testing.T) {
	t.Parallel()
	s := printable(t)
	admin := s.as("admin")
	electronic := func(path string, status int) {
		t.Helper()
		for _, form := range []string{"ubl", "cii", "peppol", "xrechnung"} {
			if r := s.as("viewer").get(path + "/document?as=" + form); r.status != status && (status != 200 || r.status != http.StatusUnprocessableEntity) {
				t.Errorf("%s as %s: %d", path, form, r.status)
			}
		}
		s.as("viewer").get(path + "/document/check").wants(200)
		s.as("viewer").get(path + "/document?as=pdf").wants(200)
	}
	electronic("/rest/invoice/1", 200)
	admin.patch("/rest/invoice/1", fields{"status_id": 4}).wants(200)
	electronic("/rest/invoice/1", http.StatusConflict)
	admin.get("/rest/invoice/1/document?as=html").wants(200).wantsParts("2024/7 – Cancelled")
	s.complete("1", fields{"numbering": "series", "number_pattern": "R{seq}", "credit_pattern": "C{seq}"})
	draft := s.drafted(nil)
	electronic(draft, http.StatusConflict)
	admin.get(draft + "/document?as=html").wants(200).wantsParts("draft-2 – Draft")
	admin.post(draft+"/issue", nil).wants(200)
	electronic(draft, 200)
	before := admin.get(draft + "/document?as=html").wants(200).body
	admin.post(draft+"/credit", nil).wants(200)
	electronic(draft, 200)
	if admin.get(draft+"/document?as=html").body != before || strings.Contains(before, "Draft") {
		t.Errorf("the document of the issued invoice is %s", before)
	}
}

// contract 16.17, 16.60
func TestCheckOfACreditNoteNamesItsOwnLines(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager := s.as("manager")
	line := goods("Light", 1, "5.00")
	line["units"] = "parsec"
	draft := s.drafted(fields{"items": []fields{line}})
	for _, printed := range []*reply{
		manager.post(draft+"/issue?as=none&expand=items", nil).wants(200),
		manager.post(draft+"/credit?as=none&expand=items", nil).wants(200),
	} {
		record := printed.record()
		own := text(record["items"].([]any)[0].(map[string]any)["id"])
		check := manager.get("/rest/invoice/" + text(record["id"]) + "/document/check?as=ubl").wants(200)
		check.wantsParts(`"record":"/rest/invoice-items/` + own + `"`)
	}
}

// contract 4.125, 10.62, 16.54
func TestInvoiceOfASeriesIsPutByRefAgain(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	manager := s.as("manager")
	body := bill(fields{"number": "", "items": []fields{goods("Catalogue", 3, "19.99"), goods("Discount", -1, "5.00")}})
	const path = "/rest/invoice?ref=q1&expand=items"
	created := manager.put(path, body).wants(http.StatusCreated)
	if again := manager.put(path, body).wants(200); again.body != created.body {
		t.Errorf("put again, it is\n%s, before\n%s", again.body, created.body)
	}
	issued := manager.post("/rest/invoice/2/issue?expand=items", nil).wants(200)
	if again := manager.put(path, body).wants(200); again.body != issued.body {
		t.Errorf("put again, it is\n%s, issued\n%s", again.body, issued.body)
	}
	manager.put(path, fieldsWith(body, fields{"items": []fields{goods("Catalogue", 2, "19.99")}})).rejected(http.StatusConflict)
}

// contract 16.78, 12.44
func TestNumbersAndDatesHaveOneOrder(t *testing.T) {
	t.Parallel()
	s := issuer(t)
	admin := s.as("admin")
	issue := func(date string) *reply { return admin.post(s.drafted(nil)+"/issue", fields{"date": date}) }
	const warning = "*chronology"
	for _, tt := range []struct{ date, want string }{
		{"2024-11-26 15:00:00", ""}, {"2024-11-26", ""}, {"2024-11-20", warning}, {"2024-11-20", ""}, {"2023-11-20", ""},
	} {
		if got := issue(tt.date).wants(200).header.Get("Kontor-Warning"); got != tt.want {
			t.Errorf("%s: the warning is %q, want %q", tt.date, got, tt.want)
		}
	}
	keyed := admin.withKey("k")
	draft := s.drafted(nil)
	for range 2 {
		if got := keyed.post(draft+"/issue", fields{"date": "2024-11-19"}).wants(200).header.Get("Kontor-Warning"); got != warning {
			t.Errorf("with a key, the warning is %q", got)
		}
	}
	party := admin.get("/rest/performer/1/party").record()
	admin.put("/rest/performer/1/party", fieldsWith(party, fields{"chronological": true})).wants(200).wantsText(fields{"chronological": true})
	if p := issue("2024-11-18").rejected(http.StatusUnprocessableEntity); len(p.Errors) != 1 || p.Errors[0].Field != "date" {
		t.Errorf("the errors are %v", p.Errors)
	}
	issue("2024-11-19").wants(200).wantsText(fields{"number": "2024-0006"})
	admin.post(draft+"/credit", fields{"date": "2024-12-02", "items": []fields{}}).rejected(http.StatusUnprocessableEntity)
	line := admin.get(draft + "?expand=items").record()["items"].([]any)[0].(map[string]any)["id"]
	one := []fields{{"id": line, "count": 1}}
	admin.post(draft+"/credit", fields{"date": "2024-12-02", "items": one}).wants(200)
	if p := admin.post(draft+"/credit", fields{"date": "2024-12-01", "items": one}).rejected(http.StatusUnprocessableEntity); p.Errors[0].Field != "date" {
		t.Errorf("the errors are %v", p.Errors)
	}
}
