package api_test

import (
	"strings"
	"testing"
)

// contract 10.68, 10.76, 2.8, 2.14, 4.2
func TestInvoiceItemCreateRespondsLikeRead(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	manager := s.as("manager")
	before := manager.post("/rest/invoice", bill(nil)).wants(200)
	created := manager.with("Accept", "").post("/rest/invoice-items", fields{"invoice_id": "1", "name": " Stifte & <mehr> ", "units": "Stück", "items_count": "2.500", "item_price": -10.5})
	want := `{"response":{"id":1,"invoice_id":1,"name":"Stifte & <mehr>","units":"Stück","count":2.5,"price":"-10.5000",` + plainVAT + `"total_price":"-26.2500"` + noTexts + `}}`
	if created.wants(200).body != want {
		t.Errorf("got  %s\nwant %s", created.body, want)
	}
	address := created.header.Get("Location")
	if read := s.as("viewer").get(address); read.body != want || read.header.Get("ETag") != created.header.Get("ETag") {
		t.Errorf("the new line reads\n%s", read.body)
	}
	xml := `<response><id>1</id><invoice_id>1</invoice_id><name>Stifte &amp; &lt;mehr&gt;</name><units>Stück</units><count>2.5</count><price>-10.5000</price><base_count/><discount_percent>0.00</discount_percent><adjustments/><vat_category/><vat_percent/><total_price>-26.2500</total_price><description/><item_number/><buyer_item_number/><gtin/><note/><period_from/><period_to/></response>`
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

// contract 10.68, 4.13, 4.19, 4.45, 4.67
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
