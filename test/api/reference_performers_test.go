package api_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// performerTexts are the optional texts of a performer, in their order, with
// the most characters that each may have.
var performerTexts = []struct {
	name  string
	limit int
}{
	{"company_name", 255}, {"company_address", 65_535}, {"real_address", 65_535}, {"bank_details", 65_535},
	{"company_details", 65_535}, {"leader", 255}, {"leader_rank", 255}, {"booker", 255}, {"phone", 64},
	{"stamp_file", 255}, {"leader_sig_file", 255}, {"booker_sig_file", 255}, {"logo", 255},
}

// contract 6.25, 6.26, 6.27, 6.28, 6.29, 6.30, 6.31, 6.32, 6.33, 6.34, 6.35, 6.36, 6.37,
// 6.38, 6.39, 6.40, 6.41, 6.42, 6.43, 6.44, 6.45, 4.69, 4.79
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

	full := fields{"name": "Kontor AG", "status": "-7", "vat_use": 1, "vat_percent": 7.5, "email": "büro@kontor.example"}
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

// contract 6.26, 6.27, 6.28, 6.29, 6.30, 6.31, 6.32, 6.33, 6.34, 6.35, 6.36, 6.37, 6.38,
// 6.39, 6.40, 6.41, 6.42, 6.43, 4.69, 4.71, 4.72, 4.75, 4.76, 3.3
func TestPerformerValidationNamesEveryField(t *testing.T) {
	t.Parallel()
	s := start(t)
	body := fields{"email": "Ann <ann@x.org>", "status": 1 << 31, "vat_use": "maybe", "vat_percent": "19.001"}
	want := []string{"name", "email", "status", "vat_use", "vat_percent"}
	for _, a := range performerTexts {
		body[a.name] = strings.Repeat("x", a.limit+1)
		want = append(want, a.name)
	}
	got := s.as("admin").post("/rest/performer", body).blames()
	if !cmp.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		t.Errorf("blames %v, want %v", got, want)
	}
	for _, wrong := range []fields{
		{"vat_percent": "100.01"}, {"vat_percent": -1}, {"vat_percent": "much"}, {"vat_percent": true},
		{"status": "1.5"}, {"status": "high"}, {"status": fields{}}, {"logo": 7}, {"name": nil},
	} {
		name := slices.Collect(maps.Keys(wrong))
		if got := s.as("admin").post("/rest/performer", fieldsWith(fields{"name": "x"}, wrong)).blames(); !cmp.Equal(got, name) {
			t.Errorf("%v blames %v", wrong, got)
		}
	}
	if n := len(s.as("admin").get("/rest/performer").items()); n != 0 {
		t.Errorf("%d performers were stored", n)
	}
}

// contract 6.25, 6.26, 6.27, 6.28, 6.29, 6.30, 6.31, 6.32, 6.33, 6.34, 6.35, 6.36, 6.37,
// 6.38, 6.39, 6.40, 6.41, 6.42, 6.43, 6.44, 6.45, 4.13, 4.14, 4.15, 4.17, 4.21, 4.30, 4.46
func TestPerformerSortByEveryAttribute(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	// The key decides, not the text: Z folds to z, and É to é, which stands behind it.
	for _, text := range []string{"École", "zebra", "Zulu", "zebra"} {
		body := fields{"name": text}
		for _, a := range performerTexts {
			body[a.name] = text
		}
		admin.post("/rest/performer", body).wants(200)
	}
	admin.post("/rest/performer", fields{"name": "zz", "status": 3, "vat_percent": 9, "vat_use": true, "email": "a@x.org"}).wants(200)

	ids := func(query string) string { return strings.Join(admin.get("/rest/performer?"+query).column("id"), "") }
	if got := ids(""); got != "24351" {
		t.Errorf("by default the order is %s", got)
	}
	for _, a := range performerTexts {
		if up, down := ids("sort="+a.name), ids("sort=-"+a.name); up != "24315" || down != "51342" {
			t.Errorf("by %s the order is %s, and %s downwards", a.name, up, down)
		}
	}
	for sort, want := range map[string]string{
		"status": "12345", "-vat_percent": "54321", "vat_use": "12345", "email": "51234", "created_at": "12345",
		"-updated_at": "54321", "id": "12345", "-name,id": "15324",
	} {
		if got := ids("sort=" + sort); got != want {
			t.Errorf("by %s the order is %s, want %s", sort, got, want)
		}
	}
	r := admin.get("/rest/performer?per_page=2&page=2&fields=id")
	if got := r.column("id"); !cmp.Equal(got, []string{"3", "5"}) || r.header.Get("X-Pagination-Total-Count") != "5" {
		t.Errorf("page 2 holds %v of %s", got, r.header.Get("X-Pagination-Total-Count"))
	}
	if got := admin.get("/rest/performer").header.Get("X-Pagination-Per-Page"); got != "20" {
		t.Errorf("a page has %s performers", got)
	}
	admin.put("/rest/performer/1", fields{"name": "Apfel", "leader": "Apfel"}).wants(200)
	if byName, byLeader := ids(""), ids("sort=leader"); byName != "12435" || byLeader != "12435" {
		t.Errorf("after an update the order is %s by name and %s by leader", byName, byLeader)
	}
	admin.get("/rest/performer?sort=text_keys").refused(400)
	admin.get("/rest/performer?fields=version").refused(400)
}

// contract 6.48, 2.32, 4.56, 4.57, 4.58: null and an empty text are the value
// that a performer has for which none was given.
func TestPerformerUpdateChangesSentFieldsOnly(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/performer", fields{
		"name": "Kontor", "leader": "Ann", "booker": "Bea", "vat_use": true, "vat_percent": "20", "status": 5,
	}).wants(200)
	first := admin.get("/rest/performer/1").wants(200)

	if got := admin.put("/rest/performer/1", first.body).wants(200); got.header.Get("ETag") != first.header.Get("ETag") {
		t.Errorf("sending back what was read has changed %s into %s", first.body, got.body)
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
		{fields{"booker": nil, "id": 9, "created_at": "never", "nonsense": 1}, `{"status":5,"leader":"Cleo","booker":null,"vat_use":true,"vat_percent":"20.00"}`},
		{fields{"vat_percent": "100"}, `{"status":5,"leader":"Cleo","booker":null,"vat_use":true,"vat_percent":"100.00"}`},
		{fields{"vat_percent": nil, "status": ""}, `{"status":1,"leader":"Cleo","booker":null,"vat_use":true,"vat_percent":"0.00"}`},
		{fields{"vat_percent": "1.10", "vat_use": ""}, `{"status":1,"leader":"Cleo","booker":null,"vat_use":false,"vat_percent":"1.10"}`},
	} {
		if got := admin.patch(shown, step.body).wants(200).body; got != `{"response":`+step.want+`}` {
			t.Errorf("%v: got %s", step.body, got)
		}
	}
	admin.with("If-Match", first.header.Get("ETag")).put("/rest/performer/1", fields{"name": "late"}).refused(412)
	if got := admin.put("/rest/performer/1", fields{"name": " ", "email": "x"}).blames(); !cmp.Equal(got, []string{"name", "email"}) {
		t.Errorf("blames %v", got)
	}
	admin.put("/rest/performer/2", fields{"name": "x"}).refused(404)
}

// contract 6.48
func TestPerformerEmptyNumberResetsToDefault(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin := s.as("admin")
	admin.post("/rest/performer", fields{"name": "x", "status": 3, "vat_percent": "12.5"}).wants(200)
	if got := admin.put("/rest/performer/1?fields=status,vat_percent", fields{"status": nil, "vat_percent": ""}).body; got != `{"response":{"status":1,"vat_percent":"0.00"}}` {
		t.Errorf("got %s", got)
	}
}
