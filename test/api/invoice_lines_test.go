package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract 10.55, 10.58, 10.59, 10.60, 10.61, 10.66, 10.83
func TestInvoiceItemsAcceptLongAndShortNames(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	got := s.as("manager").post("/rest/invoice?fields=items&expand=items", bill(fields{"items": []fields{
		{"name": "long", "items_count": "3", "item_price": "1.5", "items_total_price": "4.505"},
		{"name": "short", "count": 3, "price": 1.5, "total_price": "4.495"},
		{"name": "both", "count": 3, "items_count": "3.000", "price": "15e-1", "item_price": 1.5, "total_price": 4.5, "items_total_price": "4.50"},
		{"name": "neither"},
		{"name": "null", "count": nil, "item_price": "", "items_total_price": nil},
	}})).wants(200).body
	line := func(id int, name, numbers string) string {
		return fmt.Sprintf(`{"id":%d,"invoice_id":1,"name":%q,"units":null,%s}`, id, name, numbers)
	}
	const three, one = `"count":3,"price":"1.5000","total_price":"4.5000"`, `"count":1,"price":"0.0000","total_price":"0.0000"`
	want := `{"response":{"items":[` + strings.Join([]string{line(1, "long", three), line(2, "short", three), line(3, "both", three), line(4, "neither", one), line(5, "null", one)}, ",") + `]}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// contract 10.62, 10.63, 10.64, 10.65, 10.66
func TestInvoiceUpdateReplacesItems(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/invoice", bill(fields{"items": []fields{goods("a", 1, 1), goods("b", 2, 2), goods("c", 3, 3)}})).wants(200)
	manager.post("/rest/invoice", bill(fields{"items": []fields{goods("elsewhere", 1, 1)}})).wants(200)
	for _, step := range []struct {
		body  fields
		lines string
		total string
	}{
		{fields{"notice": "x"}, "1 a 1, 2 b 2, 3 c 3", "14.0000"},
		{fields{"items": []fields{{"id": 1, "name": "A"}, {"name": "d", "price": 5}, {"id": "3", "count": 4}}}, "1 A 1, 3 c 4, 5 d 1", "18.0000"},
		{fields{"items": []fields{{"id": 5}, {"id": nil, "name": "e"}, {"id": "", "name": "f"}}}, "5 d 1, 6 e 1, 7 f 1", "5.0000"},
		{fields{"items": []fields{}}, "", "0.0000"},
		{fields{"items": []fields{{"name": "g", "item_price": 7}}}, "8 g 1", "7.0000"},
	} {
		record := manager.patch("/rest/invoice/1?expand=items", step.body).record()
		var lines []string
		for _, line := range record["items"].([]any) {
			l := line.(map[string]any)
			lines = append(lines, fmt.Sprintf("%v %v %v", l["id"], l["name"], l["count"]))
		}
		if got := strings.Join(lines, ", "); got != step.lines || record["total_price"] != step.total || text(record["total_count"]) != fmt.Sprint(len(lines)) {
			t.Errorf("%v: got %s, %v lines with a total of %v; want %s, %s", step.body, got, record["total_count"], record["total_price"], step.lines, step.total)
		}
	}
	// In an update null is ambiguous: it could keep or remove the lines.
	if got := manager.put("/rest/invoice/1", `{"items":null}`).wrongFields(); !cmp.Equal(got, []string{"items"}) {
		t.Errorf("the wrong fields for null are %v", got)
	}
	manager.post("/rest/invoice", `{"number":"N","date":"2024-01-01","performer_id":1,"client_id":1,"type_id":1,"items":null}`).wants(200)
	if got := manager.get("/rest/invoice-items?invoice_id=1").column("name"); !cmp.Equal(got, []string{"g"}) {
		t.Errorf("after a rejected update the lines are %v", got)
	}
}

// contract 10.103, 10.104
func TestInvoiceLimitsNameTheFieldAndTheLimit(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	id := manager.post("/rest/invoice", billOf(`{"name":"x"}`)).wants(200).id()
	rejects := func(r *reply, field, limit string) {
		t.Helper()
		p := r.rejected(422)
		if len(p.Errors) != 1 || p.Errors[0].Field != field || !strings.Contains(p.Errors[0].Message, limit) {
			t.Errorf("got %+v, want the field %s and the limit of %s", p.Errors, field, limit)
		}
	}
	one := fields{"invoice_id": id, "name": "x"}
	manager.post("/rest/invoice-items", one).wants(200)

	s.execute("update invoices set total_count = 10000")
	rejects(manager.post("/rest/invoice-items", one), "invoice_id", "10000 lines")
	s.execute("update invoices set total_count = 2")
	rejects(manager.patch("/rest/invoice/"+id, `{"items":[`+repeat(10_001, `{"name":"x"}`)+`]}`), "items", "10000 lines")
	manager.patch("/rest/invoice/"+id, `{"items":[`+repeat(10_000, `{"name":"x"}`)+`]}`).wants(200)

	// An invoice that was stored without the limits can be reduced and deleted.
	s.execute("update invoices set total_count = 10002, text_bytes = 9000000, text_bytes_version = version")
	s.execute("insert into invoice_lines (invoice_id, name, name_key, count, price, total_price) select $1, 'y', 'y', 1, 0, 0 from generate_series(1, 2)", id)
	manager.patch("/rest/invoice/"+id, fields{"notice": "long"}).wants(200)
	line := manager.get("/rest/invoice-items?sort=-id").column("id")[0]
	rejects(manager.patch("/rest/invoice-items/"+line, fields{"name": "longer"}), "name", "4 MiB")
	manager.delete("/rest/invoice-items/" + line).wants(200)
	manager.delete("/rest/invoice/" + id).wants(200)
}
