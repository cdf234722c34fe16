package api_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The values that each field accepts are tested beside the code, and openapi* sends
// a wrong value for every field. Here each resource reports several errors at once.
//
// contract 3.3, 3.19, 3.29, 7.10, 8.11, 10.39, 10.40, 10.41, 10.42, 10.43, 10.56
func TestValidationNamesWrongFieldsAndStoresNothing(t *testing.T) {
	t.Parallel()
	s := startWithSamples(t)
	admin := s.as("admin")
	tables := slices.Sorted(maps.Values(tableOf))
	rows := func() map[string]int {
		counts := map[string]int{}
		for _, table := range tables {
			counts[table] = s.count(table, "true")
		}
		return counts
	}
	before := rows()
	for _, c := range []struct {
		path  string
		body  any
		wrong []string
	}{
		{"/rest/status", fields{"name": "", "color": "red"}, []string{"color", "name"}},
		{"/rest/deal-type", fields{"name": 7}, []string{"name"}},
		{"/rest/invoice-type", fields{}, []string{"title"}},
		{"/rest/performer", fields{"email": "Ann <ann@x.org>", "vat_percent": "19.001"}, []string{"email", "name", "vat_percent"}},
		{"/rest/client", fields{"name": " ", "type": 3, "phone": []int{1}}, []string{"name", "phone", "type"}},
		{"/rest/client", "{\"name\":\"a\xffb\",\"type\":1}", []string{"name"}},
		{"/rest/client", fields{"name": "x", "type": 1, "user": 99}, []string{"user"}},
		{"/rest/contact", fields{}, []string{"client_id", "deal_id", "name"}},
		{"/rest/contact", fields{"client_id": 99, "deal_id": 99, "name": "x"}, []string{"client_id", "deal_id"}},
		{"/rest/deal", fields{"name": " ", "user": nil, "client_id": "x"}, []string{"client_id", "name", "user"}},
		{"/rest/deal", fields{"name": "x", "client_id": 99, "user": 99, "type_id": 99, "status_id": 99}, []string{"client_id", "status_id", "type_id", "user"}},
		{"/rest/offer", fields{"deal_id": 0, "number": []int{1}, "date": true}, []string{"date", "deal_id", "number"}},
		{"/rest/contract", fields{"deal_id": nil, "number": ""}, []string{"deal_id", "number"}},
		{"/rest/contract", fields{"deal_id": 99, "number": "1"}, []string{"deal_id"}},
		{"/rest/invoice", fields{}, []string{"client_id", "date", "number", "performer_id", "type_id"}},
		{"/rest/invoice", bill(fields{"number": "", "items": []fields{goods("a", 1, 1), {"units": 5}}}), []string{"items[1].name", "items[1].units", "number"}},
		{"/rest/invoice", bill(fields{"deal_id": 9, "performer_id": 9, "client_id": 9, "type_id": 9}), []string{"client_id", "deal_id", "performer_id", "type_id"}},
		{
			"/rest/invoice", bill(fields{"performer_id": 9, "type_id": 9, "items": []fields{goods("", 1, 1), goods("a", 0, 1)}}),
			[]string{"items[0].name", "items[1].items_count", "performer_id", "type_id"},
		},
		{"/rest/invoice-items", fields{"invoice_id": "x", "name": 5, "count": "x"}, []string{"count", "invoice_id", "name"}},
		{"/rest/invoice-items", fields{"invoice_id": 9, "name": "x"}, []string{"invoice_id"}},
		{"/rest/invoice-items", fields{"invoice_id": 9, "count": 0}, []string{"count", "invoice_id", "name"}},
	} {
		if got := slices.Sorted(slices.Values(admin.post(c.path, c.body).wrongFields())); !cmp.Equal(got, c.wrong) {
			t.Errorf("POST %s %v: wrong fields %v, want %v", c.path, c.body, got, c.wrong)
		}
	}
	if diff := cmp.Diff(before, rows()); diff != "" {
		t.Errorf("rejected creations changed the number of rows: %s", diff)
	}

	invoice := admin.get("/rest/invoice/1?expand=items")
	for body, wrong := range map[string][]string{
		`{"deal_id":9,"performer_id":9,"client_id":9,"type_id":9}`: {"client_id", "deal_id", "performer_id", "type_id"},
		`{"number":null,"date":"31.12.2024","items":[{"id":4}]}`:   {"date", "items[0].id", "number"},
		`{"number":"","type_id":9,"items":[{"id":4}]}`:             {"items[0].id", "number", "type_id"},
	} {
		if got := slices.Sorted(slices.Values(admin.put("/rest/invoice/1", body).wrongFields())); !cmp.Equal(got, wrong) {
			t.Errorf("PUT %s: wrong fields %v, want %v", body, got, wrong)
		}
	}
	if got := admin.get("/rest/invoice/1?expand=items"); got.body != invoice.body || got.header.Get("ETag") != invoice.header.Get("ETag") {
		t.Errorf("rejected updates changed the invoice to %s", got.body)
	}
	p := admin.post("/rest/invoice-items", fields{"invoice_id": 1, "name": "x", "count": "1.5", "price": "1.0003", "total_price": 2}).rejected(422)
	if want := "total_price must be 1.5005"; p.Detail != want { // 1.50045, half away from zero
		t.Errorf("the detail is %q, want %q", p.Detail, want)
	}
}
