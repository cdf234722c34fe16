package api_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// contract 16.40, 16.20, 16.42
func TestPartyPutReplacesTheWhole(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	path := "/rest/performer/1/party"
	s.as("viewer").get(path).rejected(http.StatusNotFound)
	stored := s.as("admin").put(path, fields{
		"legal_name": "Nordlicht Möbel GmbH", "country": "de", "vat_id": "DE 136695976", "iban": "DE02 1203 0000 0000 2020 51", "payment_days": 14,
		"currency": "EUR", "vat_category": "standard", "digits": 2, "numbering": "series", "number_pattern": "{year}-{seq:4}",
	}).wants(200)
	for name, want := range map[string]string{
		"id": "1", "legal_name": "Nordlicht Möbel GmbH", "country": "DE", "vat_id": "DE136695976", "iban": "DE02120300000000202051", "payment_days": "14",
		"digits": "2", "numbering": "series", "number_pattern": "{year}-{seq:4}", "credit_pattern": "null", "street": "null",
	} {
		if got := text(stored.record()[name]); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	read := s.as("viewer").get(path).wants(200)
	if read.body != stored.body || read.header.Get("ETag") != stored.header.Get("ETag") {
		t.Errorf("the read returned\n%s\nthe write\n%s", read.body, stored.body)
	}
	if again := s.as("admin").put(path, read.record()); again.wants(200).body != stored.body {
		t.Errorf("put back as it was read, it is %s", again.body)
	}
	replaced := s.as("admin").put(path, fields{"city": "Kiel"}).wants(200).record()
	if text(replaced["city"]) != "Kiel" || replaced["legal_name"] != nil || text(replaced["digits"]) != "4" || text(replaced["numbering"]) != "manual" {
		t.Errorf("replaced, it is %v", replaced)
	}
}

// contract 16.40
func TestPartyPatchChangesTheAttributesInTheBody(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	admin := s.as("admin")
	for _, owner := range []string{"performer", "client"} {
		path := "/rest/" + owner + "/1/party"
		if p := admin.patch(path, fields{"city": "Kiel"}).rejected(http.StatusNotFound); !strings.Contains(p.Detail, "PUT stores one") {
			t.Errorf("without a party: %s", p.Detail)
		}
		stored := admin.put(path, fields{"legal_name": "Nordlicht", "city": "Kiel", "street2": "2nd floor", "payment_days": 14}).wants(200)
		changed := admin.with("If-Match", stored.header.Get("ETag")).patch(path, fields{"city": "Bonn", "street2": nil, "vat_id": "de 136695976"})
		for name, want := range map[string]string{
			"legal_name": "Nordlicht", "city": "Bonn", "street2": "null", "payment_days": "14", "vat_id": "DE136695976",
		} {
			if got := text(changed.wants(200).record()[name]); got != want {
				t.Errorf("%s of the %s is %q, want %q", name, owner, got, want)
			}
		}
		admin.with("If-Match", stored.header.Get("ETag")).patch(path, fields{"city": "Köln"}).rejected(http.StatusPreconditionFailed)
		if got := admin.patch(path, fields{"country": "XY", "payment_days": "soon"}).wrongFields(); len(got) != 2 {
			t.Errorf("the wrong fields are %q", got)
		}
		if got := admin.patch(path, fields{"payment_days": nil}).wants(200).record(); got["payment_days"] != nil || text(got["city"]) != "Bonn" {
			t.Errorf("without payment days it is %v", got)
		}
	}
	party := "/rest/performer/1/party"
	admin.patch(party, fields{
		"currency": "EUR", "digits": 2, "numbering": "series", "number_pattern": "{seq}", "chronological": true,
	}).wants(200)
	kept := admin.patch(party, fields{"vat_category": "exempt"}).wants(200).record()
	if text(kept["digits"]) != "2" || text(kept["number_pattern"]) != "{seq}" || text(kept["chronological"]) != "true" || text(kept["currency"]) != "EUR" {
		t.Errorf("it becomes %v", kept)
	}
	s.as("manager").patch(party, fields{}).rejected(http.StatusForbidden)
}

// contract 16.20, 4.52, 4.53
func TestPartyVersionsAreCompared(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager, path := s.as("manager"), "/rest/client/1/party"
	manager.with("If-Match", `"1-0"`).put(path, fields{}).rejected(http.StatusPreconditionFailed)
	first := manager.with("If-None-Match", "*").put(path, fields{"city": "Kiel"}).wants(200).header.Get("ETag")
	manager.with("If-None-Match", "*").put(path, fields{}).rejected(http.StatusPreconditionFailed)
	manager.with("If-Match", first).put(path, fields{"city": "Bonn"}).wants(200)
	manager.with("If-Match", first).put(path, fields{"city": "Köln"}).rejected(http.StatusPreconditionFailed)
	manager.with("If-Match", first).send(http.MethodDelete, path, nil).rejected(http.StatusPreconditionFailed)
	now := manager.get(path).header.Get("ETag")
	manager.with("If-None-Match", now).get(path).wants(http.StatusNotModified)
	manager.with("If-Match", now).send(http.MethodDelete, path, nil).wants(200)
	manager.send(http.MethodDelete, path, nil).rejected(http.StatusNotFound)
}

// contract 16.42, 16.43, 3.38
func TestPartyRejectsWrongFieldsTogether(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	p := s.as("admin").put("/rest/performer/1/party", fields{
		"country": "XY", "iban": "DE03120300000000202051", "digits": 3, "number_pattern": "{year}", "payment_days": "soon", "colour": "red",
	}).rejected(http.StatusUnprocessableEntity)
	var names []string
	for _, e := range p.Errors {
		names = append(names, e.Field)
	}
	slices.Sort(names)
	if want := []string{"colour", "country", "digits", "iban", "number_pattern", "payment_days"}; !slices.Equal(names, want) {
		t.Errorf("it names %q, want %q", names, want)
	}
	s.as("admin").get("/rest/performer/1/party").rejected(http.StatusNotFound)
	s.as("admin").put("/rest/client/1/party", fields{"digits": 2}).rejected(http.StatusUnprocessableEntity)
	s.as("admin").put("/rest/client/77/party", fields{}).rejected(http.StatusNotFound)
}

// contract 16.40
func TestPartyIsDeletedWithItsRecord(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for _, record := range []string{"/rest/performer/2", "/rest/client/2"} {
		s.as("admin").put(record+"/party", fields{"city": "Kiel"}).wants(200)
		s.as("admin").send(http.MethodDelete, record, nil).wants(200)
		if body := s.as("admin").get(record + "/party").rejected(http.StatusNotFound).Detail; !strings.Contains(body, "party") {
			t.Errorf("the detail is %q", body)
		}
	}
}

// contract 16.90, 16.91
func TestPartiesHaveWhatTheyKnowEachOtherBy(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	admin := s.as("admin")
	both := fields{"account_holder": "Ada", "account_number": "12 34", "bic": "BYLADEM1001"}
	own := map[string]fields{
		"performer": {"vat_reason_code": "VATEX-EU-132-1I", "seller_id": "L-1", "seller_id_scheme": "0088", "legal_text": "Sitz: Kiel"},
		"client":    {"buyer_id": "K-7", "buyer_id_scheme": "0060"},
	}
	for owner, other := range map[string]string{"performer": "client", "client": "performer"} {
		path := "/rest/" + owner + "/1/party"
		sent := fieldsWith(maps.Clone(both), own[owner])
		admin.put(path, sent).wants(200).wantsText(sent)
		admin.get(path).wants(200).wantsText(sent)
		wrong := admin.patch(path, own[other]).wrongFields()
		if len(wrong) != len(own[other]) {
			t.Errorf("the %s has %v of a %s", owner, wrong, other)
		}
	}
	wrong := admin.patch("/rest/performer/1/party", fields{"vat_reason_code": "VATEX", "seller_id_scheme": "GLN", "legal_text": strings.Repeat("x", 1025)}).wrongFields()
	if want := []string{"vat_reason_code", "seller_id_scheme", "legal_text"}; !slices.Equal(wrong, want) {
		t.Errorf("the wrong fields are %q", wrong)
	}
}
