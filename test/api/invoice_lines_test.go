package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// contract 10.56, 10.61, 10.66, 10.83
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
	const three, one = `"count":3,"price":"1.5000",` + plainVAT + `"total_price":"4.5000"` + noTexts, `"count":1,"price":"0.0000",` + plainVAT + `"total_price":"0.0000"` + noTexts
	want := `{"response":{"items":[` + strings.Join([]string{line(1, "long", three), line(2, "short", three), line(3, "both", three), line(4, "neither", one), line(5, "null", one)}, ",") + `]}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
