package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// contract 10.67, 10.68, 10.69, 10.70, 10.71, 10.72, 10.73, 10.74, 10.75, 10.76, 2.8, 2.14,
// 2.16, 2.17, 4.2
func TestInvoiceItemCreateRespondsLikeRead(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	before := manager.post("/rest/invoice", bill(nil)).wants(200)
	created := manager.with("Accept", "").post("/rest/invoice-items", fields{"invoice_id": "1", "name": " Stifte & <mehr> ", "units": "Stück", "items_count": "2.500", "item_price": -10.5})
	want := `{"response":{"id":1,"invoice_id":1,"name":"Stifte & <mehr>","units":"Stück","count":2.5,"price":"-10.5000","total_price":"-26.2500"}}`
	if created.wants(200).body != want {
		t.Errorf("got  %s\nwant %s", created.body, want)
	}
	address := created.header.Get("Location")
	if read := s.as("viewer").get(address); read.body != want || read.header.Get("ETag") != created.header.Get("ETag") {
		t.Errorf("the new line reads\n%s", read.body)
	}
	xml := `<response><id>1</id><invoice_id>1</invoice_id><name>Stifte &amp; &lt;mehr&gt;</name><units>Stück</units><count>2.5</count><price>-10.5000</price><total_price>-26.2500</total_price></response>`
	if got := manager.with("Accept", "application/xml").get(address).wants(200).body; !strings.HasSuffix(got, xml) {
		t.Errorf("got  %s\nwant %s", got, xml)
	}
	after := manager.get("/rest/invoice/1")
	record := after.record()
	for name, want := range map[string]string{"total_count": "1", "total_price": "-26.2500", "vat_price": "-5.2500", "pay_price": "-31.5000"} {
		if got := text(record[name]); got != want {
			t.Errorf("%s of the invoice is %s, want %s", name, got, want)
		}
	}
	if before.header.Get("ETag")[:3] != `"1-` || after.header.Get("ETag")[:3] != `"2-` {
		t.Errorf("the invoice went from %s to %s", before.header.Get("ETag"), after.header.Get("ETag"))
	}
}

// contract 10.69, 10.75, 10.76, 4.4, 4.53, 4.56, 4.58, 4.60
func TestInvoiceItemUpdateChangesInvoice(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/invoice", bill(fields{"items": []fields{goods("pens", 2, 3), goods("ink", 1, 1)}})).wants(200)
	manager.post("/rest/invoice", bill(nil)).wants(200)
	first := manager.get("/rest/invoice-items/1")
	second := manager.get("/rest/invoice-items/2")
	s.execute("update invoices set updated_on = timestamptz '2020-01-01 00:00:00+00'")
	invoice := manager.get("/rest/invoice/1")
	before := invoice.record()["updated_on"]

	// The read representation and ignored attributes change neither the line nor its invoice.
	for _, body := range []any{first.body, fields{"invoice_id": 2, "id": 7}, fields{"invoice_id": "nonsense"}, fields{"item_price": "3.0", "count": "2.000000", "units": ""}, fields{}} {
		if got := manager.put("/rest/invoice-items/1", body).wants(200); got.body != first.body || got.header.Get("ETag") != first.header.Get("ETag") {
			t.Errorf("%v has changed the line to %s", body, got.body)
		}
	}
	if got := manager.get("/rest/invoice/1"); got.header.Get("ETag") != invoice.header.Get("ETag") {
		t.Errorf("the invoice has changed to %s", got.body)
	}
	for i, method := range []string{http.MethodPut, http.MethodPatch} {
		changed := manager.send(method, "/rest/invoice-items/1", fields{"items_count": 4 + i, "items_total_price": 12 + 3*i})
		want := fmt.Sprintf(`{"response":{"id":1,"invoice_id":1,"name":"pens","units":null,"count":%d,"price":"3.0000","total_price":"%d.0000"}}`, 4+i, 12+3*i)
		if changed.body != want {
			t.Errorf("%s: got %s, want %s", method, changed.body, want)
		}
		now := manager.get("/rest/invoice/1")
		if now.record()["updated_on"] == before {
			t.Errorf("%s: the invoice is of %v still", method, before)
		}
		if got, want := now.record()["total_price"], fmt.Sprintf("%d.0000", 13+3*i); got != want || now.header.Get("ETag")[:3] != fmt.Sprintf(`"%d-`, 2+i) {
			t.Errorf("%s: the invoice's total is %v, its tag %s", method, got, now.header.Get("ETag"))
		}
	}
	// Each line has its own version.
	manager.with("If-Match", second.header.Get("ETag")).put("/rest/invoice-items/2", fields{"name": "blue ink"}).wants(200)
	manager.with("If-Match", second.header.Get("ETag")).put("/rest/invoice-items/2", fields{"name": "red ink"}).rejected(412)
	manager.with("If-Match", second.header.Get("ETag")).delete("/rest/invoice-items/2").rejected(412)
	if got := manager.with("If-Match", "*").delete("/rest/invoice-items/2").wants(200).body; got != `{"response":{"id":2}}` {
		t.Errorf("got %s", got)
	}
	record := manager.get("/rest/invoice/1?expand=items").record()
	if got := text(record["total_count"]) + " " + text(record["total_price"]); got != "1 15.0000" || len(record["items"].([]any)) != 1 {
		t.Errorf("the invoice is %v", record)
	}
	for _, r := range []*reply{manager.get("/rest/invoice-items/2"), manager.put("/rest/invoice-items/2", fields{}), manager.delete("/rest/invoice-items/2")} {
		r.rejected(404)
	}
}

// contract 10.75, 10.68, 10.69, 10.70, 10.71, 10.72, 10.73, 10.74, 4.13, 4.27, 4.45, 4.79
func TestInvoiceItemList(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	manager.post("/rest/invoice", bill(fields{"items": []fields{goods("Äpfel", 2, 3), {"name": "100 % Saft", "units": "l", "price": 9}}})).wants(200)
	manager.post("/rest/invoice", bill(fields{"items": []fields{{"name": "saft_", "units": "KG", "count": 10}, goods("äpfel", -2, 0.5)}})).wants(200)
	for query, want := range map[string]string{
		"":                       "1 2 3 4",
		"invoice_id=2":           "3 4",
		"invoice_id=9":           "",
		"name=SAFT":              "2 3",
		"name=%25":               "2",
		"name=_":                 "3",
		"name=%C3%84PFEL":        "1 4",
		"name=saft&invoice_id=1": "2",
		"name=&invoice_id=":      "1 2 3 4",
		"per_page=2&page=2":      "3 4",
		"per_page=3&page=2":      "4",
		"sort=-id&invoice_id=1":  "2 1",
		"page=7&fields=id,name":  "",
	} {
		if got := strings.Join(manager.get("/rest/invoice-items?"+query).column("id"), " "); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{"invoice_id=0", "invoice_id=x", "name=%FF", "sort=items_count", "fields=version", "expand=invoice", "per_page=0"} {
		manager.get("/rest/invoice-items?" + query).rejected(400)
	}
}
