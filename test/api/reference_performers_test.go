package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// performerTexts are the optional texts of a performer in their order, with their
// maximum lengths.
var performerTexts = []struct {
	name  string
	limit int
}{
	{"company_name", 255}, {"company_address", 65_535}, {"real_address", 65_535}, {"bank_details", 65_535},
	{"company_details", 65_535}, {"leader", 255}, {"leader_rank", 255}, {"booker", 255}, {"phone", 64},
	{"stamp_file", 255}, {"leader_sig_file", 255}, {"booker_sig_file", 255}, {"logo", 255},
}

// contract 6.25, 6.26, 4.69, 4.67
func TestPerformerCreateStoresFieldsAndDefaults(t *testing.T) {
	t.Parallel()
	s := start(t)
	r := s.as("admin").with("Accept", "").post("/rest/performer", fields{"name": " Kontor GmbH "})
	plain := r.record()
	if r.header.Get("Content-Type") != "application/json; charset=utf-8" || !strings.HasSuffix(r.header.Get("Location"), "/rest/performer/1") {
		t.Errorf("Content-Type %q, Location %q", r.header.Get("Content-Type"), r.header.Get("Location"))
	}
	const start = `{"response":{"id":1,"status":1,"name":"Kontor GmbH","company_name":null,"company_address":null,"real_address":null,` +
		`"bank_details":null,"company_details":null,"leader":null,"leader_rank":null,"booker":null,"phone":null,"email":null,` +
		`"vat_use":false,"vat_percent":"0.00","stamp_file":null,"leader_sig_file":null,"booker_sig_file":null,"logo":null,"created_at":"`
	if !strings.HasPrefix(r.body, start) || plain["created_at"] != plain["updated_at"] {
		t.Errorf("got %s", r.body)
	}

	full := fields{"name": "Kontor AG", "status": "-7", "vat_use": 1, "vat_percent": 7.5, "email": "büro@kontor.example", "ref": "P-1"}
	for _, a := range performerTexts {
		full[a.name] = a.name + strings.Repeat("ß", a.limit-len(a.name))
	}
	want := map[string]any{"vat_use": true, "vat_percent": "7.50", "status": "-7"}
	got := s.as("admin").post("/rest/performer", full).record()
	for name, sent := range full {
		if _, differs := want[name]; !differs {
			want[name] = sent
		}
	}
	got["status"] = text(got["status"])
	for _, shownOnly := range []string{"id", "created_at", "updated_at"} {
		delete(got, shownOnly)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// contract 6.26, 2.30, 4.56, 4.57, 4.58: null and an empty text reset an
// attribute to its default.
func TestPerformerUpdateChangesSentFieldsOnly(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/performer", fields{
		"name": "Kontor", "leader": "Ann", "booker": "Bea", "vat_use": true, "vat_percent": "20", "status": 5,
	}).wants(200)
	first := admin.get("/rest/performer/1").wants(200)

	if got := admin.put("/rest/performer/1", first.body).wants(200); got.header.Get("ETag") != first.header.Get("ETag") {
		t.Errorf("sending the read representation back changed %s into %s", first.body, got.body)
	}
	xml := admin.with("Accept", "application/xml").get("/rest/performer/1?fields=vat_use,vat_percent,status,logo").wants(200)
	if want := "<response><status>5</status><vat_use>1</vat_use><vat_percent>20.00</vat_percent><logo/></response>"; !strings.HasSuffix(xml.body, want) {
		t.Errorf("got %s, want %s", xml.body, want)
	}

	shown := "/rest/performer/1?fields=status,leader,booker,vat_use,vat_percent"
	for _, step := range []struct {
		body fields
		want string
	}{
		{fields{"leader": "Cleo"}, `{"status":5,"leader":"Cleo","booker":"Bea","vat_use":true,"vat_percent":"20.00"}`},
		{fields{"booker": nil, "id": 9, "created_at": "never", "_nonsense": 1}, `{"status":5,"leader":"Cleo","booker":null,"vat_use":true,"vat_percent":"20.00"}`},
		{fields{"vat_percent": "100"}, `{"status":5,"leader":"Cleo","booker":null,"vat_use":true,"vat_percent":"100.00"}`},
		{fields{"vat_percent": nil, "status": ""}, `{"status":1,"leader":"Cleo","booker":null,"vat_use":true,"vat_percent":"0.00"}`},
		{fields{"vat_percent": "1.10", "vat_use": ""}, `{"status":1,"leader":"Cleo","booker":null,"vat_use":false,"vat_percent":"1.10"}`},
	} {
		if got := admin.patch(shown, step.body).wants(200).body; got != `{"response":`+step.want+`}` {
			t.Errorf("%v: got %s", step.body, got)
		}
	}
	admin.with("If-Match", first.header.Get("ETag")).put("/rest/performer/1", fields{"name": "late"}).rejected(412)
	if got := admin.put("/rest/performer/1", fields{"name": " ", "email": "x"}).wrongFields(); !cmp.Equal(got, []string{"name", "email"}) {
		t.Errorf("wrong fields %v", got)
	}
	admin.put("/rest/performer/2", fields{"name": "x"}).rejected(404)
}
